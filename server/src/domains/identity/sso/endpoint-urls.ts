import type { Protocol } from "./settings/configuration.ts";
import { ssoBaseUrl } from "./enforcement/index.ts";

/** The endpoints of one workspace's single sign-on, under the caller's origin. */
export function endpointUrls(origin: string, slug: string) {
  const base = ssoBaseUrl(origin, slug);
  return {
    login: `${base}/login`,
    acs: `${base}/saml/acs`,
    metadata: `${base}/saml/metadata`,
    callback: `${base}/oidc/callback`,
  };
}

interface PublicEndpointUrls {
  readonly loginUrl: string;
  readonly acsUrl?: string;
  readonly metadataUrl?: string;
  readonly redirectUri?: string;
}

/** The endpoints to enter at the identity provider. */
export function publicEndpointUrls(
  origin: string,
  slug: string,
  protocol: Protocol,
): PublicEndpointUrls {
  const { login, acs, metadata, callback } = endpointUrls(origin, slug);
  return protocol === "saml2"
    ? { loginUrl: login, acsUrl: acs, metadataUrl: metadata }
    : { loginUrl: login, redirectUri: callback };
}
