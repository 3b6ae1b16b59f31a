import Type, { type Static, type TObject, type TProperties, type TSchema } from "typebox";
import { nullable } from "../schema/schema.ts";
import type { Settings } from "../settings.ts";
import type { ErrorRendering } from "./problem.ts";
import { stringifyInTurns } from "../schema/serialise.ts";

/** The ETag of a resource revision, including the schema revision unless it is the first. */
function formatEtag(revision: number, schemaRevision = 1): string {
  return schemaRevision === 1 ? `"${revision}"` : `"${revision}-${schemaRevision}"`;
}

/**
 * True if an ETag has this revision, ignoring the schema revision. Weak tags count too: they have the same
 * revision, with bytes changed by compression.
 */
export function matchesRevision(etag: string, revision: number): boolean {
  return etag.replace(WEAK_PREFIX, "").replace(SCHEMA_SUFFIX, '"') === formatEtag(revision);
}

const WEAK_PREFIX = /^W\//;

const SCHEMA_SUFFIX = /-\d+"$/;

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  readonly limit: number;
}

/** The response of an operation: its status, the value of its handler, and the body created from it. */
export interface ResponseType<Value = unknown> {
  readonly status: number;
  /** Absent without a body. */
  readonly body: TSchema | undefined;
  readonly wrap: (value: Value) => unknown;
  /** The body as JSON, if its schema describes the content without filtering it. */
  readonly text?: (value: Value) => string;
  /** For queries with large responses: like `text`, in several event loop turns. */
  readonly textInTurns?: (value: Value) => Promise<string>;
  readonly headers: (value: Value, settings: Settings) => Readonly<Record<string, string>>;
  /** For responses that are not JSON: the status and the text. */
  readonly raw?: (value: Value) => {
    readonly status: number;
    readonly body: string | undefined;
    readonly stream?: AsyncIterable<Uint8Array>;
  };
  /** A second success status for some values. */
  readonly alternative?: { readonly status: number; readonly when: (value: Value) => boolean };
  /** For responses that are streamed in chunks. */
  readonly stream?: (value: Value) => AsyncIterable<string | Uint8Array>;
  /** For responses other than HTML pages. */
  readonly mediaType?: string;
  /** A description of further successful responses whose format only their author knows. */
  readonly otherResponses?: string;
  readonly errorRendering?: ErrorRendering;
}

interface ResponseExtras<Value> {
  readonly alternative?: ResponseType<Value>["alternative"];
  readonly location?: (value: Value) => string;
  readonly headers?: ResponseType<Value>["headers"];
}

/** A handler may return more fields than its schema. `revision` becomes the ETag. */
export type HandlerResult<S extends TSchema> = Static<S> & { readonly revision?: number };

export function item<S extends TSchema>(schema: S, extras: ResponseExtras<Static<S>> = {}) {
  return dataResponse<S>(200, schema, extras);
}

export function created<S extends TSchema>(schema: S, extras: ResponseExtras<Static<S>> = {}) {
  return dataResponse<S>(201, schema, extras);
}

export function accepted<S extends TSchema>(schema: S, extras: ResponseExtras<Static<S>> = {}) {
  return dataResponse<S>(202, schema, extras);
}

export function noContent(): ResponseType<void> {
  return { status: 204, body: undefined, wrap: () => undefined, headers: () => ({}) };
}

/** The body without an envelope. */
export function unwrapped<S extends TSchema>(
  schema: S,
  errorRendering?: ErrorRendering,
): ResponseType<Static<S>> {
  return {
    status: 200,
    body: schema,
    wrap: (value) => value,
    headers: () => ({}),
    ...(errorRendering && { errorRendering }),
  };
}

/** An HTML page, or a redirect to one. `policy` is its Content-Security-Policy. */
export type HtmlResponse =
  | { readonly html: string; readonly status?: number; readonly policy: string }
  | { readonly goTo: string };

/** A response to a browser. Additional headers, such as a cookie, come with the value. */
export function html(
  errorRendering?: ErrorRendering,
): ResponseType<HtmlResponse & { readonly headers?: Readonly<Record<string, string>> }> {
  return {
    ...(errorRendering && { errorRendering }),
    status: 200,
    body: undefined,
    wrap: () => undefined,
    headers: (value) => ({
      ...value.headers,
      ...("goTo" in value
        ? { location: value.goTo }
        : { "content-type": "text/html; charset=utf-8", "content-security-policy": value.policy }),
    }),
    raw: (value) =>
      "goTo" in value
        ? { status: 303, body: "" }
        : { status: value.status ?? 200, body: value.html },
  };
}

/** A text in a foreign format for other programs. */
export function media(mediaType: string): ResponseType<string> {
  return {
    status: 200,
    body: undefined,
    mediaType,
    wrap: () => undefined,
    headers: () => ({ "content-type": mediaType }),
    raw: (body) => ({ status: 200, body }),
  };
}

/** A response written by a workspace's code. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Replaces the body. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** Responds with the handler's value. Default responses are 202 with this schema. */
export function rawResponse<Value extends RawResponse>(
  schema: TSchema,
  description: string,
): ResponseType<Value> {
  return {
    status: 202,
    body: Type.Object({ data: schema }),
    wrap: (value) => value.body,
    headers: ({ headers }) => headers,
    raw: ({ status, body, stream }) => ({ status, body, ...(stream && { stream }) }),
    otherResponses: description,
  };
}

/** The media type of server-sent events. */
export const EVENT_STREAM = "text/event-stream";

/** Server-sent events: the texts of the handler's iterable, while the client is connected. */
export function eventStream(): ResponseType<AsyncIterable<string>> {
  return {
    status: 200,
    body: undefined,
    mediaType: EVENT_STREAM,
    wrap: () => undefined,
    headers: () => ({
      "content-type": EVENT_STREAM,
      // A buffering proxy would make the stream useless.
      "x-accel-buffering": "no",
      // The stream may end because of a shutdown, which an open connection would delay.
      connection: "close",
    }),
    stream: (chunks) => chunks,
  };
}

/** A response with `success: true` next to its data, for the SDK's paths. */
export function withSuccess<Value>(response: ResponseType<Value>): ResponseType<Value> {
  const { body, wrap } = response;
  const { properties = {} } = (body ?? {}) as Partial<TObject>;
  return {
    ...response,
    body: Type.Object({ success: Type.Literal(true), ...properties }),
    // The wrapped value is an object: `{ data }`, possibly with pagination.
    wrap: (value) => ({ success: true, ...(wrap(value) as object) }),
  };
}

/** A file created while it is sent, with any length. */
export interface Download {
  readonly mediaType: string;
  readonly fileName: string;
  /** UTF-8 texts or bytes. */
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True for a range of the file. */
  readonly partial?: boolean;
}

/** Media types of binary files. */
const BINARY = /^application\/(?!json|x-ndjson)/;

/** A file download. `mediaTypes` are the possible types, separated by commas. */
export function download(mediaTypes: string): ResponseType<Download> {
  return {
    status: 200,
    body: undefined,
    mediaType: mediaTypes,
    wrap: () => undefined,
    headers: ({ mediaType, fileName, headers }) => ({
      "content-type": BINARY.test(mediaType) ? mediaType : `${mediaType}; charset=utf-8`,
      "content-disposition": `attachment; filename="${fileName.replaceAll(/[^\w.-]/g, "_")}"`,
      ...headers,
    }),
    stream: ({ chunks }) => chunks,
  };
}

/** A download of a stored file with support for range requests. */
export function resumableDownload(mediaTypes: string): ResponseType<Download> {
  return {
    ...download(mediaTypes),
    alternative: { status: 206, when: ({ partial }) => partial === true },
  };
}

/** Adds the ETag revision to a list item, so a conditional change needs no separate read. */
export function withRevision<P extends TProperties>(schema: TObject<P>) {
  const { title, description, additionalProperties } = schema as ObjectOptions;
  return Type.Object(
    { ...schema.properties, revision: Revision },
    {
      ...(title !== undefined && { title: title.startsWith("Listed") ? title : `Listed${title}` }),
      ...(description !== undefined && { description }),
      ...(additionalProperties !== undefined && { additionalProperties }),
    },
  );
}

interface ObjectOptions {
  readonly title?: string;
  readonly description?: string;
  readonly additionalProperties?: boolean;
}

const Revision = Type.Integer({ description: 'Value for `If-Match`, in quotes: `"7"`' });

export function page<S extends TSchema>(item: S): ResponseType<Page<Static<S>>> {
  return {
    status: 200,
    body: Type.Object({ data: Type.Array(item), pagination: Pagination }),
    wrap: ({ data, nextCursor, limit }) => ({
      data,
      pagination: { nextCursor, hasMore: nextCursor !== null, limit },
    }),
    headers: () => ({}),
  };
}

/** A page with a previous cursor, and the total count if requested. */
export interface CountedPage<T> extends Page<T> {
  /** Undefined on the first page. */
  readonly previousCursor?: string | undefined;
  readonly total?: number | undefined;
  /** True if the total is estimated. */
  readonly isEstimate?: true | undefined;
  /** The offset of its first item, if requested by offset. */
  readonly offset?: number | undefined;
}

export function countedPage<S extends TSchema>(item: S): ResponseType<CountedPage<Static<S>>> {
  return {
    status: 200,
    body: Type.Object({ data: Type.Array(item), pagination: CountedPagination }),
    wrap: wrapCounted,
    headers: () => ({}),
  };
}

/** An item with user-defined fields and therefore without a known schema. It is sent unfiltered. */
export interface DynamicItem {
  readonly data: object;
  /** Becomes the ETag. */
  readonly revision?: number;
  /** The revision of its schema, which is part of the ETag after the first change. */
  readonly schemaRevision?: number;
}

export function dynamicItem<Value extends DynamicItem = DynamicItem>(
  schema: TSchema,
  {
    status = 200,
    location,
    isLarge = false,
  }: {
    readonly status?: number;
    readonly location?: (value: Value) => string;
    /** True for a query whose response is created in several event loop turns. */
    readonly isLarge?: boolean;
  } = {},
): ResponseType<Value> {
  return {
    status,
    body: Type.Object({ data: schema }),
    wrap: ({ data }) => ({ data }),
    text: ({ data }) => `{"data":${JSON.stringify(data)}}`,
    ...(isLarge && { textInTurns: ({ data }: Value) => stringifyInTurns({ data }) }),
    headers: (value) => ({
      ...(location && { location: location(value) }),
      ...(value.revision !== undefined && {
        etag: formatEtag(value.revision, value.schemaRevision),
      }),
    }),
  };
}

/** An item that can be large, such as 10,000 rows. Its handler must return exactly the fields of its schema. */
export function largeItem<S extends TSchema>(schema: S): ResponseType<HandlerResult<S>> {
  return { ...item(schema), textInTurns: (data) => stringifyInTurns({ data }) };
}

/** A page of user-defined items. */
export function dynamicPage(item: TSchema): ResponseType<CountedPage<object>> {
  return {
    status: 200,
    body: Type.Object({ data: Type.Array(item), pagination: CountedPagination }),
    wrap: wrapCounted,
    text: (value) => JSON.stringify(wrapCounted(value)),
    headers: () => ({}),
  };
}

function wrapCounted({ data, nextCursor, limit, ...rest }: CountedPage<unknown>) {
  const { previousCursor, offset, total, isEstimate } = rest;
  const hasMore = nextCursor !== null;
  return {
    data,
    pagination: { nextCursor, previousCursor, hasMore, limit, offset, total, isEstimate },
  };
}

const Pagination = Type.Object(
  {
    nextCursor: nullable(Type.String({ description: "Send it as `after` for the next page" })),
    hasMore: Type.Boolean(),
    limit: Type.Integer(),
  },
  { title: "Pagination" },
);

const CountedPagination = Type.Object(
  {
    ...Pagination.properties,
    previousCursor: Type.Optional(
      Type.String({ description: "For the previous page, as `before`. Absent on the first page" }),
    ),
    offset: Type.Optional(
      Type.Integer({ description: "Number of items before this page, if known" }),
    ),
    total: Type.Optional(Type.Integer({ description: "Only with `count`" })),
    isEstimate: Type.Optional(
      Type.Literal(true, { description: "True if the total and the position are estimates" }),
    ),
  },
  { title: "CountedPagination" },
);

function dataResponse<S extends TSchema>(
  status: number,
  schema: S,
  extras: ResponseExtras<Static<S>>,
): ResponseType<HandlerResult<S>> {
  return {
    status,
    body: Type.Object({ data: schema }),
    wrap: (data) => ({ data }),
    ...(extras.alternative && { alternative: extras.alternative }),
    headers: (value, settings) => ({
      ...extras.headers?.(value, settings),
      ...(extras.location && { location: extras.location(value) }),
      ...(hasRevision(value) && { etag: formatEtag(value.revision) }),
    }),
  };
}

function hasRevision(value: unknown): value is { revision: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "revision" in value &&
    typeof value.revision === "number"
  );
}
