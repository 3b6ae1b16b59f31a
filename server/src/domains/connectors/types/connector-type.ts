import Type, { type Static, type TObject } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { notDestination } from "../destination-mark.ts";
import type { AuthFields, AuthKind } from "../auth.ts";
import type { DiscoveredApi, DiscoveredAction } from "../openapi/discovered-action.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";

/** Fields of every configuration. */
export const limits = {
  timeoutMs: notDestination(
    Type.Integer({
      minimum: 100,
      maximum: 60_000,
      default: 10_000,
      description: "Timeout of an invocation, including its retries",
    }),
  ),
  retries: notDestination(
    Type.Integer({
      minimum: 0,
      maximum: 5,
      default: 2,
      description:
        "Number of retries on temporary failures. Requests that are not idempotent are only retried if they were not sent",
    }),
  ),
  ownCredentialsOnly: Type.Optional(
    notDestination(
      Type.Boolean({
        description:
          "Uses only the credentials of the environment in staging and development, never the production credentials",
      }),
    ),
  ),
  rateLimit: Type.Optional(
    notDestination(
      object({
        requests: Type.Integer({
          minimum: 1,
          maximum: 100_000,
          description: "For all runs and nodes together. Steps wait until the limit allows them",
        }),
        perMs: Type.Integer({ minimum: 100, maximum: 86_400_000 }),
      }),
    ),
  ),
};

/** An action of connectors of a type. */
export interface ActionType<Config = never, Input extends TObject = TObject> {
  readonly name: string;
  readonly summary: string;
  readonly input: Input;
  /** Returns whether a connector with this configuration has the action; all have it if absent. */
  readonly isOffered?: (config: Config, auth: AuthFields) => boolean;
  run(connection: UpstreamConnection<Config>, input: Static<Input>): Promise<unknown>;
}

/** A kind of system that connectors reach. */
export interface ConnectorType<Config extends TObject = TObject> {
  readonly type: string;
  readonly summary: string;
  readonly config: Config;
  readonly authKinds: readonly AuthKind[];
  readonly actions: readonly ActionType<Static<Config>>[];
  /** Validation beyond the schemas; masks and references are not resolved yet. */
  check?(platform: Platform, config: Static<Config>, auth: AuthFields): readonly FieldError[];
  /** Resolves if the upstream responds as expected; otherwise throws. */
  test(connection: UpstreamConnection<Static<Config>>): Promise<TestAnswer>;
  /** For types whose actions are read from a document. */
  readonly documented?: DocumentReader<Static<Config>>;
  /** For types whose actions come from the catalogue. */
  readonly catalogued?: CatalogueReader<Static<Config>>;
}

export interface CatalogueReader<Config> {
  actions(config: Config): ReadonlyMap<string, DiscoveredAction>;
  /** The authentication, completed with the values of the preset. */
  fillAuth(config: Config, auth: AuthFields): AuthFields;
  run(
    connection: UpstreamConnection<Config>,
    action: DiscoveredAction,
    input: unknown,
  ): Promise<unknown>;
}

export interface TestAnswer {
  /** The status of an HTTP response. */
  readonly status?: number;
}

export interface DocumentReader<Config> {
  /** Reads the actions; undefined if the document has not changed. */
  discover(platform: Platform, config: Config): Promise<DiscoveredApi | undefined>;
  /** The stored configuration, without the document. */
  toStoredConfig(config: Config): Config;
  /** The effective configuration, with the server URL of the document. */
  toEffectiveConfig(config: Config, serverUrl: string | null): Config;
  run(
    connection: UpstreamConnection<Config>,
    action: DiscoveredAction,
    input: unknown,
  ): Promise<unknown>;
}

/** Declares an action. */
export function action<Config, Input extends TObject>(
  about: ActionType<Config, Input>,
): ActionType<Config> {
  // Inputs were validated against the action's own schema before.
  return about as unknown as ActionType<Config>;
}

/** Declares a type. */
export function connectorType<Config extends TObject>(about: ConnectorType<Config>): ConnectorType {
  // Configurations were validated against the type's own schema before.
  return about as unknown as ConnectorType;
}
