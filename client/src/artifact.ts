/** The import of artifact sources: `defineArtifact` and the types of its context. */

/** The type of one input or output. */
export type Field =
  | {
      readonly type: Exclude<keyof FieldValues, "enum">;
      readonly required?: boolean;
      readonly description?: string;
    }
  | {
      readonly type: "enum";
      readonly values: readonly string[];
      readonly required?: boolean;
      readonly description?: string;
    };

interface FieldValues {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  /** ISO 8601 with a UTC offset. */
  timestamp: string;
  /** YYYY-MM-DD. */
  date: string;
  enum: string;
  object: Readonly<Record<string, unknown>>;
  array: readonly unknown[];
  any: unknown;
}

export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F extends Field> = F extends {
  readonly type: "enum";
  readonly values: readonly (infer V)[];
}
  ? V
  : FieldValues[F["type"]];

type RequiredOf<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly required: true } ? Name : never;
}[keyof F];

/** The object type of some fields. */
export type Values<F extends Fields> = {
  readonly [Name in RequiredOf<F>]: ValueOf<F[Name]>;
} & {
  readonly [Name in Exclude<keyof F, RequiredOf<F>>]?: ValueOf<F[Name]> | null;
};

/** A record of a table. */
export type TableRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string;
};

export interface ListOptions {
  /** A condition, see the guide about tables. */
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly sort?: string | readonly string[];
  readonly fields?: string | readonly string[];
  readonly expand?: string | readonly string[];
  readonly q?: string;
  readonly limit?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Level = "debug" | "info" | "warn" | "error";
type LogLine = (message: string, metadata?: unknown) => void;

/** The second argument of `execute`. A rejected call throws an error with a `code`. */
export interface Context {
  readonly tables: {
    get(slug: string, id: string): Promise<TableRecord>;
    list(slug: string, options?: ListOptions): Promise<readonly TableRecord[]>;
    create(slug: string, fields: Readonly<Record<string, unknown>>): Promise<TableRecord>;
    update(
      slug: string,
      id: string,
      fields: Readonly<Record<string, unknown>>,
    ): Promise<TableRecord>;
    delete(slug: string, id: string): Promise<null>;
  };
  readonly connectors: {
    invoke(id: string, action: string, input?: unknown): Promise<unknown>;
  };
  readonly secrets: { get(name: string): Promise<string> };
  /** Variables of the workspace in this environment. */
  readonly variables: { get(name: string): Promise<unknown> };
  readonly events: {
    publish(
      topic: string,
      event: {
        readonly type: string;
        readonly payload: Readonly<Record<string, unknown>>;
        readonly deduplicationKey?: string;
      },
    ): Promise<{ readonly id: string; readonly deduplicated: boolean }>;
  };
  readonly http: {
    request(request: {
      readonly method?: string;
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly timeoutMs?: number;
    }): Promise<HttpAnswer>;
  };
  readonly log: ((level: Level, message: string, metadata?: unknown) => void) &
    Readonly<Record<Level, LogLine>>;
  readonly workspace: { readonly id: string; readonly slug: string; readonly name: string };
  readonly environment: "development" | "staging" | "production";
  /** Ends the execution without a failure. */
  abort(reason: string): never;
  addMessage(level: string, text: string): void;
  readonly ui: { set(field: string, change: unknown): void };
}

/** The artifact that a source exports. */
export interface Artifact<In extends Fields, Out extends Fields> {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** A semantic version. */
  readonly version?: string;
  readonly inputs?: In;
  readonly outputs?: Out;
  execute(input: Values<In>, context: Context): Values<Out> | Promise<Values<Out>>;
}

/**
 * Infers the types of `execute` from `inputs` and `outputs`. The platform provides an implementation with the same
 * behaviour.
 */
export function defineArtifact<const In extends Fields = {}, const Out extends Fields = {}>(
  artifact: Artifact<In, Out>,
): Artifact<In, Out> {
  return artifact;
}
