import Type, { type Static } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { AUTH_KINDS, type Auth, type AuthFields } from "../auth.ts";
import { findPreset, type LoadedPreset } from "../catalogue/catalogue.ts";
import type { Json } from "../credentials.ts";
import { type ApiConfig, runAction } from "../openapi/run-action.ts";
import { ConfigHeaders, headerErrors, urlErrors } from "../upstream/target.ts";
import { action, connectorType, limits } from "./connector-type.ts";
import { RequestInput, sendRequest, testHttp } from "./http.ts";

const config = object({
  preset: line(60, "A name from `GET /api/v1/connectors/presets`"),
  parameters: Type.Optional(
    Type.Record(Type.String(), line(500), {
      maxProperties: 8,
      description: "Parameters of the preset, such as a subdomain",
    }),
  ),
  baseUrl: Type.Optional(line(2_048, "URL of your instance, replaces the URL of the preset")),
  headers: Type.Optional(ConfigHeaders),
  ...limits,
});
type Config = Static<typeof config>;

/** A service of the catalogue. */
export const preset = connectorType({
  type: "preset",
  summary: "A service from the catalogue with predefined actions and triggers",
  config,
  authKinds: AUTH_KINDS,
  actions: [
    action<Config, typeof RequestInput>({
      name: "request",
      summary:
        "Sends any request to the service. Returns the status, headers and body of the response",
      input: RequestInput,
      run: (connection, input) =>
        sendRequest(connection, resolveApi(connection.config, connection.auth), input),
    }),
  ],
  check: (platform, chosen, auth) => {
    const known = findPreset(chosen.preset);
    if (!known || known.connector)
      return [{ path: "/config/preset", message: "is not a preset of the catalogue" }];
    const errors = [...parameterErrors(known, chosen), ...authKindErrors(known, auth)];
    if (errors.length > 0) return errors;
    return [
      ...urlErrors(platform, "/config/baseUrl", resolveBaseUrl(known, chosen)),
      ...headerErrors("/config/headers", chosen.headers),
    ];
  },
  test: (connection) => {
    const known = presetOf(connection.config);
    const about = resolveApi(connection.config, connection.auth);
    return testHttp(connection, {
      ...about,
      testPath: fillIn(known.test?.path ?? "", connection.config),
    });
  },
  catalogued: {
    actions: (chosen) => findPreset(chosen.preset)?.actions ?? new Map(),
    fillAuth: (chosen, auth) => {
      const known = findPreset(chosen.preset)?.auth.find(({ kind }) => kind === auth.kind);
      const filled = Object.entries(known?.fill ?? {}).map(([name, text]) => [
        name,
        fillIn(text, chosen),
      ]);
      // A test validates the values of presets against the schema.
      return { ...(Object.fromEntries(filled) as Partial<AuthFields>), ...auth };
    },
    run: (connection, known, input) =>
      runAction(
        connection,
        resolveApi(connection.config, connection.auth),
        known,
        // The schema of all such actions is an object.
        input as Json,
      ),
  },
});

/** Resolves the base URL and request settings of the service. */
export function resolveApi(chosen: Config, auth: Auth): ApiConfig {
  const known = presetOf(chosen);
  const { copies = [] } = known.auth.find(({ kind }) => kind === auth.kind) ?? {};
  const credential =
    auth.kind === "bearer" ? auth.token : auth.kind === "api_key" ? auth.value : "";
  return {
    baseUrl: resolveBaseUrl(known, chosen),
    headers: {
      ...known.headers,
      ...Object.fromEntries(copies.map((name) => [name, credential])),
      ...chosen.headers,
    },
    ...(known.failsWhen && { failsWhen: known.failsWhen }),
  };
}

function presetOf({ preset: id }: Config): LoadedPreset {
  const known = findPreset(id);
  // It was validated when it was saved, and no release removes a preset.
  if (!known) throw new Error(`There is no preset called ${id}.`);
  return known;
}

function resolveBaseUrl(known: LoadedPreset, chosen: Config): string {
  return chosen.baseUrl ?? fillIn(known.baseUrl ?? "", chosen);
}

/** Puts parameters in the places of their names. */
function fillIn(text: string, chosen: Config): string {
  const defaults = presetOf(chosen).parameters ?? [];
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const known = defaults.find((one) => one.name === name);
    if (!known) return whole;
    const value = chosen.parameters?.[name] ?? known.default ?? "";
    return known.kind === "url" ? value.replace(/\/+$/, "") : value;
  });
}

const PATTERNS = {
  name: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
  host: /^[A-Za-z0-9][A-Za-z0-9.-]*(:\d{1,5})?$/,
  url: /^https?:\/\/[^\s@?#]+$/,
};

function parameterErrors(known: LoadedPreset, { parameters = {}, baseUrl }: Config): FieldError[] {
  const asked = known.parameters ?? [];
  const surplus = Object.keys(parameters)
    .filter((name) => !asked.some((one) => one.name === name))
    .map((name) => ({
      path: `/config/parameters/${name}`,
      message: "is not a parameter of the preset",
    }));
  const wrong = asked.flatMap(({ name, default: value, kind = "name" }) => {
    const given = parameters[name] ?? value;
    const path = `/config/parameters/${name}`;
    if (given === undefined) return baseUrl === undefined ? [{ path, message: "is required" }] : [];
    return PATTERNS[kind].test(given) ? [] : [{ path, message: `must be a ${kind}` }];
  });
  return [...surplus, ...wrong];
}

function authKindErrors(known: LoadedPreset, auth: AuthFields): FieldError[] {
  const kinds = known.auth.map(({ kind }) => kind);
  if (kinds.includes(auth.kind)) return [];
  return [{ path: "/auth/kind", message: `must be one of ${kinds.join(", ")}` }];
}
