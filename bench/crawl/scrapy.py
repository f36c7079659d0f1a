# SPDX-License-Identifier: Apache-2.0
"""The crawl of Scrapy: python3 scrapy.py HOST:PORT CONCURRENCY.

It prints a JSON list of the pages that it got, each with its path and the
CRC-32 of its body. Scrapy is set as its documentation advises for broad
crawls: no cookies, no log, no console, the same parallelism as the others.
"""
import json
import sys
import zlib

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

server, concurrency = sys.argv[1], int(sys.argv[2])
base = "http://" + server
pages = []


class Spider(scrapy.Spider):
    name = "bench"
    start_urls = [base + "/"]
    allowed_domains = [server.split(":")[0]]
    links = LinkExtractor(tags=("a", "area", "link", "iframe"), attrs=("href", "src"))

    def parse(self, response):
        path = response.url[len(base):] if response.url.startswith(base) else response.url
        pages.append({"Path": path, "Sum": zlib.crc32(response.body)})
        if isinstance(response, scrapy.http.TextResponse):
            for link in self.links.extract_links(response):
                yield scrapy.Request(link.url)


process = CrawlerProcess(settings={
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": concurrency,
    "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
    "COOKIES_ENABLED": False,
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
})
process.crawl(Spider)
process.start()
json.dump(pages, sys.stdout)
