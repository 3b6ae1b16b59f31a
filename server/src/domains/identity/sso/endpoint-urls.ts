import type { Protocol } from "./settings/configuration.ts";
import { placeUrl } from "./enforcement/index.ts";

/** Our addresses for one workspace, seen from where we were found (`caller.origin`). */
export function addressesOf(origin: string, slug: string) {
  const place = placeUrl(origin, slug);
  return {
    login: `${place}/login`,
    acs: `${place}/saml/acs`,
    metadata: `${place}/saml/metadata`,
    callback: `${place}/oidc/callback`,
  };
}

interface ShownAddresses {
  readonly loginUrl: string;
  readonly acsUrl?: string;
  readonly metadataUrl?: string;
  readonly redirectUri?: string;
}

/** Those that somebody who sets up the identity provider needs. */
export function shownAddresses(origin: string, slug: string, protocol: Protocol): ShownAddresses {
  const { login, acs, metadata, callback } = addressesOf(origin, slug);
  return protocol === "saml2"
    ? { loginUrl: login, acsUrl: acs, metadataUrl: metadata }
    : { loginUrl: login, redirectUri: callback };
}
