import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { ELLIPTIC_CERTIFICATE, PROVIDER_KEY } from "../testing/keys.ts";
import { CLIENT } from "../testing/openid-provider.ts";
import { newWorkspace, SAML_SETTINGS } from "../testing/workspace.ts";

const ROUTE = "POST /api/v1/settings/sso";
const OIDC = { protocol: "oidc", issuer: "https://login.example.com", ...CLIENT };

const world = await useWorld();

test("sets, reads, replaces and deletes a configuration, each with its event", async () => {
  const { owner, slug } = await newWorkspace(world);
  expect(await owner("GET /api/v1/settings/sso")).toMatchObject({
    status: 404,
    body: { code: "sso_not_configured" },
  });
  const set = await owner(ROUTE, SAML_SETTINGS);
  expect(set).toMatchObject({ status: 200, events: ["audit.sso.updated"] });
  const place = `http://localhost/sso/${slug}`;
  expect(set.body.data).toMatchObject({
    ...SAML_SETTINGS,
    enforceSSO: false,
    hasClientSecret: false,
    loginUrl: `${place}/login`,
    acsUrl: `${place}/saml/acs`,
    metadataUrl: `${place}/saml/metadata`,
  });
  const read = await owner("GET /api/v1/settings/sso");
  expect(read).toMatchObject({ status: 200, body: set.body, headers: { etag: '"1"' } });
  const replaced = await owner(ROUTE, OIDC, { "if-match": '"1"' });
  expect(replaced).toMatchObject({ status: 200, headers: { etag: '"2"' } });
  expect(replaced.body.data).toEqual({
    protocol: "oidc",
    issuer: "https://login.example.com",
    clientId: "millrace",
    scopes: ["openid", "email", "profile"],
    claimsMapping: {},
    jitProvisioning: false,
    defaultRole: "member",
    enforceSSO: false,
    hasClientSecret: true,
    loginUrl: `${place}/login`,
    redirectUri: `${place}/oidc/callback`,
    test: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(await owner(ROUTE, OIDC, { "if-match": '"1"' })).toMatchObject({
    status: 412,
    events: [],
  });
  const stale = await owner("DELETE /api/v1/settings/sso", undefined, { "if-match": '"1"' });
  expect(stale).toMatchObject({ status: 412, events: [] });
  const gone = await owner("DELETE /api/v1/settings/sso");
  expect(gone).toMatchObject({ status: 204, events: ["audit.sso.deleted"] });
  expect(await owner("DELETE /api/v1/settings/sso")).toMatchObject({ status: 404, events: [] });
  expect(await world.stranger(`GET /sso/${slug}/login`)).toMatchObject({ status: 404, events: [] });
});

test("events contain the fingerprint of a certificate, and no secret", async () => {
  const { owner, key } = await newWorkspace(world);
  await owner(ROUTE, SAML_SETTINGS);
  await owner(ROUTE, OIDC);
  const rows = await world.sql(
    "select data from events where workspace_id = $1 and type = 'audit.sso.updated' order by seq",
    [key],
  );
  const [saml, oidc] = rows.map(({ data }) => data);
  expect(saml.certificateFingerprints).toEqual([expect.stringMatching(/^([0-9A-F]{2}:){31}/)]);
  expect(saml.certificate).toBeUndefined();
  expect(JSON.stringify(saml)).not.toContain(PROVIDER_KEY.certificate.slice(100, 140));
  expect(oidc).toMatchObject({ hasClientSecret: true });
  expect(JSON.stringify(oidc)).not.toContain(CLIENT.clientSecret);
});

test("rejects missing, unsupported and invalid fields with their path", async () => {
  const { owner } = await newWorkspace(world);
  for (const [body, ...paths] of [
    [{ protocol: "saml2" }, "/entityId", "/ssoUrl", "/certificate"],
    [{ protocol: "oidc" }, "/issuer", "/clientId", "/clientSecret"],
    [
      { ...SAML_SETTINGS, issuer: "https://a.example.com", clientSecret: "s" },
      "/issuer",
      "/clientSecret",
    ],
    [{ ...OIDC, certificate: "x", attributeMapping: {} }, "/certificate", "/attributeMapping"],
    [{ ...SAML_SETTINGS, ssoUrl: "http://idp.example.com/sso" }, "/ssoUrl"],
    [{ ...SAML_SETTINGS, ssoUrl: "javascript:alert(1)" }, "/ssoUrl"],
    [{ ...SAML_SETTINGS, entityId: "no url" }, "/entityId"],
    [{ ...SAML_SETTINGS, certificate: "no certificate" }, "/certificate"],
    [{ ...SAML_SETTINGS, certificate: ELLIPTIC_CERTIFICATE }, "/certificate"],
    [{ ...SAML_SETTINGS, attributeMapping: { phone: "x" } }, "/attributeMapping/phone"],
    [{ ...SAML_SETTINGS, defaultRole: "owner" }, "/defaultRole"],
    [{ ...SAML_SETTINGS, defaultRole: "no such role" }, "/defaultRole"],
    [{ ...OIDC, issuer: "http://login.example.com" }, "/issuer"],
    [{ ...OIDC, issuer: "https://user:pass@login.example.com" }, "/issuer"],
    [{ ...OIDC, issuer: "https://login.example.com?a=b" }, "/issuer"],
    [{ ...OIDC, scopes: ["openid", "two words"] }, "/scopes/1"],
    [{ ...OIDC, claimsMapping: { role: "x" } }, "/claimsMapping/role"],
  ] as const) {
    const answer = await owner(ROUTE, body);
    expect(answer).toMatchObject({ status: 422, events: [] });
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
  }
  expect(await owner(ROUTE, { ...OIDC, issuer: "http://localhost:9000" })).toMatchObject({
    status: 200,
  });
});

test("does not apply the configuration to other workspaces", async () => {
  const [one, two] = [await newWorkspace(world), await newWorkspace(world)];
  await one.owner(ROUTE, SAML_SETTINGS);
  expect(await two.owner("GET /api/v1/settings/sso")).toMatchObject({ status: 404 });
  expect(await two.owner("DELETE /api/v1/settings/sso")).toMatchObject({ status: 404 });
  expect(await one.owner("GET /api/v1/settings/sso")).toMatchObject({ status: 200 });
});

test("the endpoints of the other protocol return not found", async () => {
  const { owner, slug } = await newWorkspace(world);
  await owner(ROUTE, SAML_SETTINGS);
  const callback = await world.stranger(`GET /sso/${slug}/oidc/callback?state=a&code=b`);
  expect(callback).toMatchObject({ status: 404, events: [] });
  await owner(ROUTE, OIDC);
  expect(await world.stranger(`GET /sso/${slug}/saml/metadata`)).toMatchObject({ status: 404 });
  const acs = await world.stranger(`POST /sso/${slug}/saml/acs`, { SAMLResponse: "PGEvPg==" });
  expect(acs).toMatchObject({ status: 404, events: [] });
});

test("a token can remove single sign-on, in case the provider fails, but cannot set it up", async () => {
  const { owner, slug } = await newWorkspace(world);
  await owner(ROUTE, SAML_SETTINGS);
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "Break glass",
    expiresIn: "30d",
    scopes: ["sso:read", "sso:write"],
  });
  const token = world.asToken(body.data.token, slug);
  expect(await token(ROUTE, OIDC)).toMatchObject({ status: 403, events: [] });
  expect(await token("DELETE /api/v1/settings/sso")).toMatchObject({
    status: 204,
    events: ["audit.sso.deleted"],
  });
  expect((await owner("GET /api/v1/settings/sso")).status).toBe(404);
});
