import { mapJson } from "../schema/map-json.ts";
import { encodingsOf } from "./secret-forms.ts";
import { Matcher } from "./matcher.ts";
import { patternsOf, type UsedSecret } from "./scrubber.ts";

const SECRETS_MAX = 1_000;
const CHARACTERS_MAX = 16_000_000;

/**
 * The secrets that this process used lately, of all workspaces: a safety net below code that scrubs for
 * itself. Only output for operators goes through it. If responses did, a caller could send guesses and learn
 * from the response which of them is somebody's secret.
 */
class RecentSecrets {
  /** The least recently used first. */
  readonly #secrets = new Map<string, UsedSecret>();
  #characters = 0;
  #matcher: Matcher | undefined;

  /** Remembers a secret, and returns it with its encodings, which are computed once for many uses. */
  remember(name: string, value: string): UsedSecret {
    const key = `${name} ${value}`;
    const cached = this.#secrets.get(key);
    if (cached) {
      this.#secrets.delete(key);
      this.#secrets.set(key, cached);
      return cached;
    }
    const secret = { name, value, forms: encodingsOf(value) };
    this.#secrets.set(key, secret);
    this.#characters += sizeOf(secret);
    this.#matcher = undefined;
    if (this.#secrets.size > SECRETS_MAX || this.#characters > CHARACTERS_MAX) this.#dropHalf();
    return secret;
  }

  /** Scrubs a text for operators, such as the error of a job. */
  scrub(text: string): string {
    return this.#currentMatcher().replace(text);
  }

  /** Scrubs a line of the log, which stays a JSON object: its own fields keep their names. */
  scrubLine(line: string): string {
    const matcher = this.#currentMatcher();
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

  #currentMatcher(): Matcher {
    return (this.#matcher ??= new Matcher(patternsOf(this.#secrets.values())));
  }

  /** Drops half at once, so that a steady stream of new ones does not do it each time. */
  #dropHalf(): void {
    for (const [key, secret] of this.#secrets) {
      if (this.#secrets.size <= SECRETS_MAX / 2 && this.#characters <= CHARACTERS_MAX / 2) return;
      this.#secrets.delete(key);
      this.#characters -= sizeOf(secret);
    }
  }
}

/** One for the process, since its log is one. */
export const recentSecrets = new RecentSecrets();

interface LogDestination {
  write(line: string): unknown;
  flushSync?(): void;
}

/** A log destination without the secrets that were used lately. */
export function scrubDestination(destination: LogDestination): LogDestination & { flush(): void } {
  return {
    write: (line) => destination.write(recentSecrets.scrubLine(line)),
    flush: () => destination.flushSync?.(),
    flushSync: () => destination.flushSync?.(),
  };
}

function sizeOf({ value, forms }: UsedSecret): number {
  return forms.reduce((sum, form) => sum + form.length, value.length);
}
