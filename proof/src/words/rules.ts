/** Patterns of sentences that are hard to read, each with advice. */

export type TextKind = "api" | "ui" | "guide" | "comment" | "test";

export interface WordRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly advice: string;
  /** If absent, the rule applies to all kinds. */
  readonly kinds?: readonly TextKind[];
}

const SCREENS: readonly TextKind[] = ["api", "ui", "guide"];

export const RULES: readonly WordRule[] = [
  {
    name: "actor",
    pattern: /\b(nobody|somebody|anybody|everybody|whoever|whom|whomever|strangers?)\b/i,
    advice: "Name the role: “only owners”, “another user”.",
  },
  {
    name: "verb",
    pattern:
      /\b(tells|told|hears|heard|stands|stood|goes on|went on|going on|is asked|are asked|is told|are told)\b/i,
    advice: "Use the plain verb: reports, receives, is, continues, must.",
  },
  {
    name: "state",
    pattern:
      /\b(is|are|was|were) (gone|over|not there|no longer there)\b|\bin vain\b|\banew\b|\bdone away with\b/i,
    advice: "Say what happened: deleted, expired, ended, timed out, again.",
  },
  {
    name: "own",
    pattern:
      /\bof (its|their|our|his|her|your|one's|one’s) own\b|\bby hand\b|\bby itself\b|\bby themselves\b|\bat work\b/i,
    advice: "Write separate, custom, manually, automatically, running.",
  },
  {
    name: "negation",
    pattern:
      /(?<!\bthere )\b(is|are|was|were|be) no (?!longer|more|less|fewer|better|worse|later|earlier|larger|greater|different)[a-z]+/i,
    advice: "Say not: “is not a table”, “does not exist”.",
  },
  {
    name: "fronted",
    pattern: /(?:^|[.!?:] )(?:Of [a-z]+[^,.]*[,.]|Nor [a-z])/,
    advice: "Begin with the subject.",
  },
  {
    name: "pronoun",
    pattern: /^(Those|That of|Theirs|Of those)\b/,
    advice: "Repeat the noun: “Suggestions of the last answer”.",
  },
  {
    name: "clause",
    pattern: /^(What|Whose|Whatever|However)\b[^?]*$/,
    advice: "Use a noun: “What it waits for” is “Awaited event”.",
  },
  {
    name: "place",
    pattern: /(?:^|[.!?] )(Where|Wherever) [a-z][^?]*,/,
    advice: "Use “if” or “when”.",
  },
  {
    name: "as-has-it",
    pattern: /\bas [\w ’']{1,40} (has|have|had) (it|them)\b|\bas it is\b|\bas they are\b/i,
    advice: "Write “in”, “according to” or “unchanged”.",
  },
  {
    name: "default",
    pattern: /\bunless (one is )?(given|told|said)\b/i,
    advice: "Name the default: “Default: POST”.",
  },
  {
    name: "old-word",
    pattern: /\b(beside|meanwhile|alike|hitherto|thereof|whence|hence|thus)\b/i,
    advice: "Write next to, in addition to, in the meantime, the same.",
  },
  {
    name: "right",
    pattern: /\b(you|they|it|who|one) may not\b/i,
    advice: "Write “can't”, or “You don't have permission to …”.",
    kinds: SCREENS,
  },
  {
    name: "household",
    pattern: /^(Say |Leave it$|Take it back|Give back|Put away|Take away|End them$)|\byour word\b/,
    advice: "Use the word of the glossary: Enter, Cancel, Undo, Revoke, Archive, Delete.",
    kinds: ["api", "ui"],
  },
  {
    name: "result",
    pattern: /\bIt went well\b|\bThere is no such thing\b|\bno such\b/i,
    advice: "Write “Success.” or name what does not exist.",
  },
];

/** The rules that a text breaks. */
export const findBroken = (kind: TextKind, text: string): readonly WordRule[] =>
  RULES.filter(({ kinds, pattern }) => (kinds?.includes(kind) ?? true) && pattern.test(text));
