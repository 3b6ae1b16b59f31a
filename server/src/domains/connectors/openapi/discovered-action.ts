/** A JSON Schema without references, see `pruneSchema`. */
export type PrunedSchema = Readonly<Record<string, unknown>>;

/** The place of an input value in the request. */
export interface Parameter {
  /** Its field in the input. */
  readonly field: string;
  /** In a body: a path with dots, or `$` for the entire body. */
  readonly name: string;
  readonly in: "path" | "query" | "header" | "body";
  /** How lists and objects are serialized; see `request.ts`. */
  readonly style: "plain" | "exploded" | "deep";
}

/** How to request the next page of a list. */
export type Paging =
  /** The response contains a cursor for the query or body of the next request. */
  | { readonly kind: "cursor"; readonly from: string; readonly to: string }
  /** Pages or items are counted: the parameter `to` grows by `step`, or by the number of items on a page. */
  | {
      readonly kind: "count";
      readonly to: string;
      readonly first: number;
      readonly step: "page" | "items";
    }
  /** The response contains the next URL, in a body field or the `Link` header. */
  | { readonly kind: "url"; readonly from: string };

/** An operation of an OpenAPI document or a preset, as an action of a connector. */
export interface DiscoveredAction {
  readonly name: string;
  readonly summary: string;
  readonly input: PrunedSchema;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The media type of the input's `body`. */
  readonly bodyType: string | null;
  /** Sent regardless of the input. */
  readonly fixed?: {
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Readonly<Record<string, unknown>>;
  };
  /** A name from `compose-body.ts`, for bodies that parameter places cannot express. */
  readonly compose?: string;
  /** The path of the list items in the response, `$` for the entire body. */
  readonly items?: string;
  readonly paging?: Paging;
  /** True if the action is idempotent although its method is not. */
  readonly idempotent?: boolean;
}

/** The content of an OpenAPI document. */
export interface DiscoveredApi {
  readonly title: string;
  readonly version: string;
  /** The server URL, unless the configuration of the connector sets it. */
  readonly serverUrl: string | null;
  readonly actions: readonly DiscoveredAction[];
  /** The number of skipped operations, whose bodies are neither JSON, form nor text. */
  readonly leftOut: number;
}
