import { mapJson } from "../schema/map-json.ts";
import { encodingsOf } from "./secret-forms.ts";
import { Matcher } from "./matcher.ts";
import { patternsOf, type UsedSecret } from "./scrubber.ts";

const SECRETS_MAX = 1_000;
const CHARACTERS_MAX = 16_000_000;

/**
 * The secrets that this process used lately, whoever's they are: the net below everything that scrubs
 * for itself. Only what operators see goes through it. Were it to change what callers see, a caller
 * could send guesses and learn from the answer which of them is somebody's secret.
 */
class RecentSecrets {
  /** The least recently used first. */
  readonly #known = new Map<string, UsedSecret>();
  #characters = 0;
  #matcher: Matcher | undefined;

  /** Remembers a secret, and gives it with its spellings, which are found once for many uses. */
  remember(name: string, value: string): UsedSecret {
    const key = `${name} ${value}`;
    const known = this.#known.get(key);
    if (known) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const secret = { name, value, forms: encodingsOf(value) };
    this.#known.set(key, secret);
    this.#characters += sizeOf(secret);
    this.#matcher = undefined;
    if (this.#known.size > SECRETS_MAX || this.#characters > CHARACTERS_MAX) this.#forgetHalf();
    return secret;
  }

  /** A text for operators, such as the error that a job ended with. */
  scrub(text: string): string {
    return this.#current().replace(text);
  }

  /** A line of the log, which stays the JSON object that it was: its own fields keep their names. */
  scrubLine(line: string): string {
    const matcher = this.#current();
    if (!matcher.occursIn(line)) return line;
    const scrub = (text: string): string => matcher.replace(text);
    const change = (leaf: unknown): unknown => (typeof leaf === "string" ? scrub(leaf) : leaf);
    try {
      const fields = Object.entries(JSON.parse(line) as Record<string, unknown>);
      const scrubbed = fields.map(([name, part]) => [name, mapJson(part, change, scrub)]);
      return `${JSON.stringify(Object.fromEntries(scrubbed))}\n`;
    } catch {
      return scrub(line);
    }
  }

  #current(): Matcher {
    return (this.#matcher ??= new Matcher(patternsOf(this.#known.values())));
  }

  /** Half at once, so that a steady stream of new ones does not search for room each time. */
  #forgetHalf(): void {
    for (const [key, secret] of this.#known) {
      if (this.#known.size <= SECRETS_MAX / 2 && this.#characters <= CHARACTERS_MAX / 2) return;
      this.#known.delete(key);
      this.#characters -= sizeOf(secret);
    }
  }
}

/** One for the process, since its log is one. */
export const recentSecrets = new RecentSecrets();

interface Destination {
  write(line: string): unknown;
  flushSync?(): void;
}

/** Where log lines go, but without the secrets that were used lately. */
export function scrubbing(destination: Destination): Destination & { flush(): void } {
  return {
    write: (line) => destination.write(recentSecrets.scrubLine(line)),
    flush: () => destination.flushSync?.(),
    flushSync: () => destination.flushSync?.(),
  };
}

function sizeOf({ value, forms }: UsedSecret): number {
  return forms.reduce((sum, form) => sum + form.length, value.length);
}
