import { recentSecrets } from "#kernel/secrets/recent-secrets.ts";
import { Scrubber, type UsedSecret } from "#kernel/secrets/scrubber.ts";
import { recordSecretUse } from "#kernel/secrets/used-secrets.ts";

/** The scheme before a credential. Any other word may be the start of a password. */
const SCHEME_BEFORE =
  /^(?:Bearer|Basic|Digest|Token|Bot|OAuth|Negotiate|Api-?Key|Key|GenieKey|SSWS) /i;
/** Matches an unknown scheme followed by a value that does not look like a word. */
const OTHER_SCHEME = /^[A-Za-z]{1,20} (\S{12,})$/;

/**
 * Removes confidential values from the output of one invocation: the credentials, the secrets that they refer to,
 * and the tokens issued for them. All upstream output passes through it.
 */
export class CredentialScrubber {
  readonly #vault: Scrubber;
  readonly #secrets: UsedSecret[] = [];
  #credentials: Scrubber | undefined;

  constructor(vault: Scrubber = new Scrubber([])) {
    this.#vault = vault;
  }

  /** Scrubs a value from now on, also without its scheme, and as a path of a URL. */
  add(name: string, value: string): void {
    const bare = value.replace(SCHEME_BEFORE, "").trim();
    const token = OTHER_SCHEME.exec(bare)?.[1];
    const url = /^https?:/.test(bare) ? URL.parse(bare) : null;
    const path = url ? url.pathname + url.search : "";
    const texts = [
      bare,
      ...(token === undefined ? [] : [token]),
      ...(path.length > 1 ? [path] : []),
    ].filter((text) => text !== "");
    const secrets = texts.map((text) => recentSecrets.remember(name, text));
    recordSecretUse(secrets);
    this.#secrets.push(...secrets);
    this.#credentials = undefined;
  }

  /** The value without any secret. */
  scrub<T>(value: T): T {
    this.#credentials ??= new Scrubber(this.#secrets);
    return this.#credentials.scrubJson(this.#vault.scrubJson(value));
  }
}
