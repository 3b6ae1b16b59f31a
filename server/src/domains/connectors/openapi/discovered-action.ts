/** A JSON Schema without references, see `pruneSchema`. */
export type PrunedSchema = Readonly<Record<string, unknown>>;

/** Where a value of the input goes in the request. */
export interface Parameter {
  /** Its field in the input. */
  readonly field: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
  /** How lists and objects are written; see `request.ts`. */
  readonly style: "plain" | "exploded" | "deep";
}

/** An operation of an OpenAPI document, as a connector's action. */
export interface DiscoveredAction {
  readonly name: string;
  readonly summary: string;
  readonly input: PrunedSchema;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The media type of what the input has as `body`. */
  readonly bodyType: string | null;
}

/** The content of an OpenAPI document. */
export interface DiscoveredApi {
  readonly title: string;
  readonly version: string;
  /** Where the API is, unless the connector's configuration says it. */
  readonly serverUrl: string | null;
  readonly actions: readonly DiscoveredAction[];
  /** How many operations were left out, since their bodies are of a kind that is not JSON, form or text. */
  readonly leftOut: number;
}
