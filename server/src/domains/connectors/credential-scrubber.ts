import { recentSecrets } from "#kernel/secrets/recent-secrets.ts";
import { Scrubber, type UsedSecret } from "#kernel/secrets/scrubber.ts";
import { recordSecretUse } from "#kernel/secrets/used-secrets.ts";

/** What may stand before a credential without being one: `Bearer `, `Basic `. */
const SCHEME_BEFORE = /^[A-Za-z]{1,20} /;

/**
 * What one use of a connector must not tell: its credentials, the secrets that they refer to, and the
 * tokens that it was given for them. Whatever comes back from outside goes through here.
 */
export class CredentialScrubber {
  readonly #vault: Scrubber;
  readonly #kept: UsedSecret[] = [];
  #own: Scrubber | undefined;

  constructor(vault: Scrubber = new Scrubber([])) {
    this.#vault = vault;
  }

  /** From now on this is not told, nor what stands in it behind a scheme, nor the path of a URL. */
  keep(name: string, value: string): void {
    const bare = value.replace(SCHEME_BEFORE, "").trim();
    const url = /^https?:/.test(bare) ? URL.parse(bare) : null;
    const path = url ? url.pathname + url.search : "";
    const texts = [bare, ...(path.length > 1 ? [path] : [])].filter((text) => text !== "");
    const secrets = texts.map((text) => recentSecrets.remember(name, text));
    recordSecretUse(secrets);
    this.#kept.push(...secrets);
    this.#own = undefined;
  }

  /** A value without any of it. */
  scrub<T>(value: T): T {
    this.#own ??= new Scrubber(this.#kept);
    return this.#own.scrubJson(this.#vault.scrubJson(value));
  }
}
