// SPDX-License-Identifier: Apache-2.0

package pii

import "strings"

// Words that occur around names of people, in lower case, between spaces.
const (
	titles = " mr mrs ms miss mx dr prof professor sir lord lady herr frau hr fr mme mlle monsieur madame sr sra srta señor señora don doña " +
		"sig signor signora dott dhr mevr mevrouw meneer pan pani "
	lowTitles = " mevrouw meneer dhr mevr don doña monsieur madame signor signora señor señora "
	bylines   = " by von von: par por di author autor auteur autore written posted reported words fotos photo photos text "
	greetings = " dear hello hi hey liebe lieber cher chère estimado estimada querido querida caro cara beste "
	closings  = " regards sincerely yours faithfully cheers grüße grüßen gruß cordialement saludos saluti "
	names     = " name contact ansprechpartner kontakt attn attention signed ceo cto cfo chair director editor geschäftsführer inhaber owner patient customer kunde employee nom nombre nome "
	particles = " van von der den de da di del della la le du dos das bin ibn al el ter ten zu y e mc "
	// organisations are words that do not occur in the name of a person.
	organisations = " inc ltd llc gmbh ag corp corporation company co kg sa sas srl bv nv plc group holding bank university universität college school " +
		"institute institut hospital foundation stiftung association society club team committee council agency department ministry office press news " +
		"times post journal magazine street avenue road park museum church hotel restaurant airport station river lake mountain island " +
		"january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday " +
		"the this that these those what when where which how why who our your their all new more read see view contact about home privacy terms policy " +
		"customer customers team support sir madam everyone friends user users editor reader readers valued hiring service services "
)

// given are first names that are rarely used as other words.
const given = " james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony steven andrew kenneth joshua " +
	"kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel " +
	"gregory alexander patrick jack dennis jerry tyler aaron jose adam nathan henry douglas zachary peter kyle noah ethan jeremy walter christian keith " +
	"roger terry austin sean gerald carl harold dylan arthur lawrence jordan jesse bryan billy bruce gabriel joe logan alan juan albert willie elijah wayne " +
	"randy vincent mason roy ralph bobby russell bradley philip eugene mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty " +
	"sandra margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy kathleen angela " +
	"shirley brenda emma anna pamela nicole samantha katherine christine helen debra rachel carolyn janet maria catherine heather diane olivia julie joyce " +
	"victoria ruth virginia lauren kelly christina joan evelyn judith andrea hannah megan cheryl jacqueline martha madison teresa gloria sara janice ann " +
	"kathryn abigail sophia frances jean alice judy isabella julia grace amber denise danielle marilyn beverly charlotte natalie theresa diana brittany doris " +
	"kayla alexis lori marie jane hans peter klaus wolfgang jürgen dieter manfred uwe günter horst andreas stefan stefanie sabine petra monika ursula renate " +
	"karin brigitte heike gabriele susanne claudia birgit katrin anja nadine julian lukas felix jonas leon maximilian moritz niklas tobias florian sebastian " +
	"markus matthias jan lena lea mia emilia johanna greta pierre jacques philippe alain bernard françois michel laurent nicolas olivier antoine julien " +
	"guillaume sylvie isabelle nathalie valérie sandrine camille chloé manon juliette giuseppe giovanni antonio mario luigi francesco angelo vincenzo pietro " +
	"salvatore carlo franco domenico bruno paolo marco luca matteo alessandro giulia chiara francesca elena valentina carlos manuel luis javier miguel " +
	"francisco pedro alejandro fernando diego sergio pablo jorge carmen josefa isabel dolores pilar ana lucía sofía paula ravi raj priya anita sanjay amit " +
	"mohammed muhammad ahmed ali fatima aisha omar hassan ibrahim yusuf wei li chen yuki hiroshi kenji sakura ivan sergei dmitri olga natasha tatiana svetlana " +
	"lars sven erik anders magnus ingrid astrid björn mikael sofie freja pieter willem joris sander femke anneke katarzyna agnieszka piotr krzysztof tomasz "

// persons finds names by the words before them and by first names.
func (x *scan) persons() {
	if !x.Entities.Has(Person) {
		return
	}
	for i := 0; i < len(x.words) && !x.stopped(); i++ {
		t := x.text(x.words[i])
		var first, last int
		switch {
		case in(titles, t) && (x.words[i].upper || in(lowTitles, t)) && len(t) > 1 && x.follows(i, " ", ". "):
			first, last = x.titled(i)
		case in(bylines, t) && x.follows(i, " ", ": "),
			in(greetings, t) && x.words[i].upper && x.follows(i, " "),
			in(names, t) && x.follows(i, ": ", ":"):
			first = i + 1
			last = x.name(first, 2)
			if in(bylines, t) && !x.words[i].upper && x.Region == "" && !in(given, x.text(x.words[i+1])) && !x.Loose {
				last = -1 // "by Red Hat" does not name a person
			}
		case in(closings, t) && i+1 < len(x.words) && strings.HasPrefix(strings.TrimLeft(x.gap(i), ", "), "\n"):
			first = i + 1
			last = x.name(first, 2)
		case in(given, t) && x.words[i].upper:
			first = i
			last = x.name(first, 2)
		default:
			continue
		}
		if last < 0 {
			continue
		}
		x.add(x.words[first].start, x.words[last].end, Person)
		i = last
	}
}

// follows reports whether word i is followed by one of gaps and another word.
func (x *scan) follows(i int, gaps ...string) bool {
	g := x.gap(i)
	for _, want := range gaps {
		if g == want && i+1 < len(x.words) {
			return true
		}
	}
	return false
}

// titled returns the first and last word of the name that follows the title at
// i. Several titles may follow each other, and one word is enough for a name.
func (x *scan) titled(i int) (first, last int) {
	first = i + 1
	for first+1 < len(x.words) && first-i < 4 && in(titles, x.text(x.words[first])) && x.follows(first, " ", ". ") {
		first++
	}
	return first, x.name(first, 1)
}

// name returns the last word of the name at word i, or -1 if there is none. A name has at
// least the number of capitalised words that least gives. Initials and particles may be
// between them. No word may belong to an organisation.
func (x *scan) name(i, least int) int {
	last, count := -1, 0
	for j := i; j < len(x.words) && j-i < 6; j++ {
		w := x.words[j]
		t := x.text(w)
		if j > i {
			switch g := x.gap(j - 1); {
			case g == " ", g == "-", g == "\u00a0":
			case g == ". " && x.words[j-1].end-x.words[j-1].start <= 2: // an initial
			default:
				return enough(last, count, least)
			}
		}
		switch {
		case w.digit:
			return enough(last, count, least)
		case in(organisations, t):
			if count < 2 || w.upper {
				return -1
			}
			return enough(last, count, least)
		case w.upper:
			last = j
			count++
			if count == 4 {
				return last
			}
		case count > 0 && in(particles, t):
		default:
			return enough(last, count, least)
		}
	}
	return enough(last, count, least)
}

// enough returns last if count has reached least, and -1 otherwise.
func enough(last, count, least int) int {
	if count < least {
		return -1
	}
	return last
}

// IsName reports whether s is the name of a person and nothing else: at least
// two capitalised words, none of which belongs to an organisation.
func IsName(s string) bool {
	x := new(Finder).scan(s)
	return len(s) < 100 && len(x.words) >= 2 && x.name(0, 2) == len(x.words)-1
}
