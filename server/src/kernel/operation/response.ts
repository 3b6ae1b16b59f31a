import Type, { type Static, type TObject, type TProperties, type TSchema } from "typebox";
import { nullable } from "../schema/schema.ts";
import type { Settings } from "../settings.ts";
import type { ErrorRendering } from "./problem.ts";
import { stringifyInTurns } from "../schema/serialise.ts";

/** The ETag of a revision of a resource, and of a revision of its schema unless that is the first. */
function formatEtag(revision: number, schemaRevision = 1): string {
  return schemaRevision === 1 ? `"${revision}"` : `"${revision}-${schemaRevision}"`;
}

/**
 * True when an ETag is of this revision, whatever the revision of its schema. A weak one counts as well: it names
 * the same revision, of which compression on the way has made other bytes.
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

/** The response of an operation: its status, the value that its handler returns, and the body made of that. */
export interface ResponseType<Value = unknown> {
  readonly status: number;
  /** Absent when there is no body. */
  readonly body: TSchema | undefined;
  readonly wrap: (value: Value) => unknown;
  /** The body as JSON, where its schema describes and does not limit what is in it. */
  readonly text?: (value: Value) => string;
  /** Of a query whose answer may be large: as `text`, in turns of the event loop. */
  readonly textInTurns?: (value: Value) => Promise<string>;
  readonly headers: (value: Value, settings: Settings) => Readonly<Record<string, string>>;
  /** For responses that are not JSON: the status and text themselves. */
  readonly raw?: (value: Value) => {
    readonly status: number;
    readonly body: string | undefined;
    readonly stream?: AsyncIterable<Uint8Array>;
  };
  /** A second status of success, for some values. */
  readonly alternative?: { readonly status: number; readonly when: (value: Value) => boolean };
  /** For responses that are streamed in chunks. */
  readonly stream?: (value: Value) => AsyncIterable<string | Uint8Array>;
  /** Of a response that is no HTML page. */
  readonly mediaType?: string;
  /** A description of further successful responses, whose form only their author knows. */
  readonly otherResponses?: string;
  readonly errorRendering?: ErrorRendering;
}

interface ResponseExtras<Value> {
  readonly alternative?: ResponseType<Value>["alternative"];
  readonly location?: (value: Value) => string;
  readonly headers?: ResponseType<Value>["headers"];
}

/** A handler may return more than its schema names; `revision` among it becomes the ETag. */
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

/** The body as it is, without an envelope. */
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

/** A response to a browser. Further headers, such as a cookie, come with the value. */
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

/** A text for other programs, in a format that is not ours. */
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

/** A response that a workspace's own code wrote. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** In the place of a body. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** Responds with the handler's value as it is. Our own response is 202 with this schema. */
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

/** Server-sent events: the texts that the handler's iterable gives, for as long as the client is connected. */
export function eventStream(): ResponseType<AsyncIterable<string>> {
  return {
    status: 200,
    body: undefined,
    mediaType: EVENT_STREAM,
    wrap: () => undefined,
    headers: () => ({
      "content-type": EVENT_STREAM,
      // A proxy that buffered the chunks would make the stream useless.
      "x-accel-buffering": "no",
      // The stream may end because we do, and an open connection would hold that up.
      connection: "close",
    }),
    stream: (chunks) => chunks,
  };
}

/** A response with `success: true` beside its data, as the paths of the SDK have it. */
export function withSuccess<Value>(response: ResponseType<Value>): ResponseType<Value> {
  const { body, wrap } = response;
  const { properties = {} } = (body ?? {}) as Partial<TObject>;
  return {
    ...response,
    body: Type.Object({ success: Type.Literal(true), ...properties }),
    // The wrapped value is an object: `{ data }`, or that with its pagination.
    wrap: (value) => ({ success: true, ...(wrap(value) as object) }),
  };
}

/** A file that is made while it is sent, however long it is. */
export interface Download {
  readonly mediaType: string;
  readonly fileName: string;
  /** Texts, in UTF-8, or bytes. */
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True when it is only a range of the file. */
  readonly partial?: boolean;
}

/** The media types of files that are no texts. */
const BINARY = /^application\/(?!json|x-ndjson)/;

/** A file download; `mediaTypes` are those that it may have, separated by commas. */
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

/** A download of a stored file, of which a client may request a range. */
export function resumableDownload(mediaTypes: string): ResponseType<Download> {
  return {
    ...download(mediaTypes),
    alternative: { status: 206, when: ({ partial }) => partial === true },
  };
}

/** An item of a list, with the revision that its ETag names: a change may be conditional without reading it alone. */
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

const Revision = Type.Integer({ description: 'What `If-Match` takes, in quotes: `"7"`' });

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

/** A page that a list can go back from, with the total count where the query asked for it. */
export interface CountedPage<T> extends Page<T> {
  /** Undefined when nothing stands before it. */
  readonly previousCursor?: string | undefined;
  readonly total?: number | undefined;
  /** True when the total is estimated. */
  readonly isEstimate?: true | undefined;
  /** The place of its first item, where the query jumped. */
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

/** An item whose fields its owner chose, so that its schema is not known beforehand: it is sent as it is. */
export interface DynamicItem {
  readonly data: object;
  /** Becomes the ETag. */
  readonly revision?: number;
  /** The revision of its schema: part of the ETag too, once it has changed. */
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
    /** Of a query whose answer is made in turns of the event loop. */
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

/** An item that may be large, such as 10,000 rows. Its handler returns exactly what its schema names. */
export function largeItem<S extends TSchema>(schema: S): ResponseType<HandlerResult<S>> {
  return { ...item(schema), textInTurns: (data) => stringifyInTurns({ data }) };
}

/** A page of such items. */
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
    nextCursor: nullable(Type.String({ description: "Send it as `after` to go on" })),
    hasMore: Type.Boolean(),
    limit: Type.Integer(),
  },
  { title: "Pagination" },
);

const CountedPagination = Type.Object(
  {
    ...Pagination.properties,
    previousCursor: Type.Optional(
      Type.String({ description: "Send it as `before` to go back; absent at the beginning" }),
    ),
    offset: Type.Optional(
      Type.Integer({ description: "How many stand before this page, where the request jumped" }),
    ),
    total: Type.Optional(Type.Integer({ description: "With `count`" })),
    isEstimate: Type.Optional(
      Type.Literal(true, { description: "The total, and a place by share, are estimated" }),
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
