import { mapJson } from "../schema/map-json.ts";
import { encodingsOf } from "./secret-forms.ts";
import { Matcher } from "./matcher.ts";
import { patternsOf, type UsedSecret } from "./scrubber.ts";

const SECRETS_MAX = 1_000;
const CHARACTERS_MAX = 16_000_000;

/**
 * Recently used secrets of all workspaces in this process: a fallback below code that scrubs its own output. Only
 * output for operators is scrubbed with it. In responses, a caller could send guesses and detect which of them are
 * secrets.
 */
class RecentSecrets {
  /** Least recently used first. */
  readonly #secrets = new Map<string, UsedSecret>();
  #characters = 0;
  #matcher: Matcher | undefined;

  /** Remembers a secret and returns it with its encodings, computed once. */
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

  /** Scrubs a log line. It stays valid JSON with its standard field names. */
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

  /** Removes half of the secrets at once, so new secrets do not cause a removal every time. */
  #dropHalf(): void {
    for (const [key, secret] of this.#secrets) {
      if (this.#secrets.size <= SECRETS_MAX / 2 && this.#characters <= CHARACTERS_MAX / 2) return;
      this.#secrets.delete(key);
      this.#characters -= sizeOf(secret);
    }
  }
}

/** One per process, because a process has one log. */
export const recentSecrets = new RecentSecrets();

interface LogDestination {
  write(line: string): unknown;
  flushSync?(): void;
}

/** A log destination that removes recently used secrets. */
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
