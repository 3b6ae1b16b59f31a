import type { Ask, World } from "#kernel/testing/world.ts";
import { PROVIDER_KEY } from "./keys.ts";
import { CLIENT } from "./openid-provider.ts";
import { PROVIDER_ENTITY, SamlProvider, SSO_URL } from "./saml-provider.ts";

export interface SsoWorkspace {
  readonly key: string;
  readonly slug: string;
  readonly owner: Ask & { token: string; userId: string };
}

let count = 0;

/** Creates a separate workspace, so that tests do not interfere. */
export async function newWorkspace(world: World): Promise<SsoWorkspace> {
  count += 1;
  const made = await world.workspace(`sso-${process.pid}-${count}`);
  return { ...made, owner: await world.member(["owner"], made) };
}

export const SAML_SETTINGS = {
  protocol: "saml2",
  entityId: "https://millrace.example.com",
  ssoUrl: SSO_URL,
  certificate: PROVIDER_KEY.certificate,
  idpEntityId: PROVIDER_ENTITY,
  attributeMapping: { email: "mail", firstName: "given", lastName: "family", role: "role" },
  jitProvisioning: true,
  defaultRole: "viewer",
};

export const ADA = { mail: ["ada@example.com"], given: ["Ada"], family: ["Lovelace"] };

/** A workspace that trusts the SAML provider of the tests, and that provider. */
export async function samlWorkspace(world: World, settings: object = {}) {
  const workspace = await newWorkspace(world);
  const set = await workspace.owner("POST /api/v1/settings/sso", { ...SAML_SETTINGS, ...settings });
  if (set.status !== 200) throw new Error(`SSO was not set up: ${JSON.stringify(set.body)}`);
  const { slug } = workspace;
  const { body: metadata } = await world.stranger(`GET /sso/${slug}/saml/metadata`);
  return { ...workspace, provider: new SamlProvider(metadata), metadata: String(metadata) };
}

/** Starts a login: returns the redirect URL and the cookie. */
export async function beginLogin(
  world: World,
  slug: string,
  query = "",
  headers?: Record<string, string>,
) {
  const answer = await world.stranger(`GET /sso/${slug}/login${query}`, undefined, headers);
  if (answer.status !== 303) throw new Error(`The login did not begin: ${answer.status}`);
  const location = answer.headers["location"] ?? "";
  const cookie = (answer.headers["set-cookie"] ?? "").split(";")[0] ?? "";
  return { answer, location, cookie };
}

/** Posts a form as from the identity provider's page: cross-site, without cookies. */
export function postAnswer(
  world: World,
  slug: string,
  form: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
) {
  return world.stranger(`POST /sso/${slug}/saml/acs`, new URLSearchParams(form).toString(), {
    "content-type": "application/x-www-form-urlencoded",
    origin: "https://idp.example.com",
    ...headers,
  });
}

/** The session in an answer's cookie. */
export function sessionIn(headers: Record<string, string>): string | undefined {
  return /^millrace_session=([^;]+)/.exec(String(headers["set-cookie"] ?? ""))?.[1];
}

/** The rejected logins of a workspace in the log, newest last. */
export async function refusals(world: World, key: string): Promise<Record<string, string>[]> {
  const rows = await world.sql(
    `select data from events where workspace_id = $1 and type = 'audit.sso.login_failed'
      order by epoch, xid, seq`,
    [key],
  );
  return rows.map(({ data }) => data as Record<string, string>);
}

/** A workspace that trusts an OpenID Connect provider. */
export async function oidcWorkspace(world: World, issuer: string, settings: object = {}) {
  const workspace = await newWorkspace(world);
  await configureOidc(workspace, issuer, settings);
  return workspace;
}

export async function configureOidc(
  { owner }: SsoWorkspace,
  issuer: string,
  settings: object = {},
) {
  const set = await owner("POST /api/v1/settings/sso", {
    protocol: "oidc",
    issuer,
    ...CLIENT,
    jitProvisioning: true,
    defaultRole: "viewer",
    ...settings,
  });
  if (set.status !== 200) throw new Error(`SSO was not set up: ${JSON.stringify(set.body)}`);
}

/** The provider's redirect target, in a world named `localhost`. */
export function callbackUrl({ slug }: Pick<SsoWorkspace, "slug">): string {
  return `http://localhost/sso/${slug}/oidc/callback`;
}

/** Returns from the provider, with the cookie of the login unless another is given. */
export function comeBack(world: World, slug: string, query: URLSearchParams, cookie: string) {
  const headers = cookie === "" ? {} : { cookie };
  return world.stranger(`GET /sso/${slug}/oidc/callback?${query.toString()}`, undefined, headers);
}
