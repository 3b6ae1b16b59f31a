import Type, { type Static, type TObject, type TSchema } from "typebox";
import { nullable } from "../schema/schema.ts";
import type { Settings } from "../settings.ts";
import type { ErrorRendering } from "./problem.ts";

/** The tag of a thing in this revision, and of how it is shown; that is left out while it is the first. */
function etagOf(revision: number, formRevision = 1): string {
  return formRevision === 1 ? `"${revision}"` : `"${revision}-${formRevision}"`;
}

/** Whether a tag is one of a thing in this revision, however that was shown. */
export function matchesRevision(etag: string, revision: number): boolean {
  return etag.replace(OF_FORM, '"') === etagOf(revision);
}

const OF_FORM = /-\d+"$/;

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  readonly limit: number;
}

/** What an operation answers: its status, what its handler returns, and the body made of that. */
export interface ResponseType<Value = unknown> {
  readonly status: number;
  /** Absent when there is nothing to say. */
  readonly body: TSchema | undefined;
  readonly wrap: (value: Value) => unknown;
  /** The body as JSON, where its schema describes and does not limit what is in it. */
  readonly text?: (value: Value) => string;
  readonly headers: (value: Value, settings: Settings) => Readonly<Record<string, string>>;
  /** For what is no JSON: the status and text themselves. */
  readonly raw?: (value: Value) => {
    readonly status: number;
    readonly body: string | undefined;
  };
  /** A second status of success, for some values. */
  readonly alternative?: { readonly status: number; readonly when: (value: Value) => boolean };
  /** For what comes piece by piece, while the client listens. */
  readonly stream?: (value: Value) => AsyncIterable<string | Uint8Array>;
  /** Of what is shown, when it is no page. */
  readonly mediaType?: string;
  /** What other answers of success there may be, where nobody but their author knows their form. */
  readonly otherResponses?: string;
  readonly errorRendering?: ErrorRendering;
}

interface Extras<Value> {
  readonly alternative?: ResponseType<Value>["alternative"];
  readonly location?: (value: Value) => string;
  readonly headers?: ResponseType<Value>["headers"];
}

/** A handler may return more than its schema names; `revision` among it becomes the ETag. */
export type HandlerResult<S extends TSchema> = Static<S> & { readonly revision?: number };

export function item<S extends TSchema>(schema: S, extras: Extras<Static<S>> = {}) {
  return dataReply(200, schema, extras);
}

export function created<S extends TSchema>(schema: S, extras: Extras<Static<S>> = {}) {
  return dataReply(201, schema, extras);
}

export function accepted<S extends TSchema>(schema: S, extras: Extras<Static<S>> = {}) {
  return dataReply(202, schema, extras);
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

/** A page for people, or the way to one. `policy` is its Content-Security-Policy. */
export type HtmlResponse =
  | { readonly html: string; readonly status?: number; readonly policy: string }
  | { readonly goTo: string };

/** The answer to a browser. Further headers, such as a cookie, come with the value. */
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

/** An answer that somebody wrote who is neither the caller nor us. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Answers with what a handler says, to the letter. What we say ourselves is 202 with this schema. */
export function rawResponse<Value extends RawResponse>(
  schema: TSchema,
  otherwise: string,
): ResponseType<Value> {
  return {
    status: 202,
    body: Type.Object({ data: schema }),
    wrap: (value) => value.body,
    headers: ({ headers }) => headers,
    raw: ({ status, body }) => ({ status, body }),
    otherResponses: otherwise,
  };
}

/** The media type of server-sent events. */
export const EVENT_STREAM = "text/event-stream";

/** Server-sent events: the texts that the handler's iterable gives, for as long as somebody listens. */
export function eventStream(): ResponseType<AsyncIterable<string>> {
  return {
    status: 200,
    body: undefined,
    mediaType: EVENT_STREAM,
    wrap: () => undefined,
    headers: () => ({
      "content-type": EVENT_STREAM,
      // A proxy that gathered the pieces would make the stream useless.
      "x-accel-buffering": "no",
      // The stream may end because we do, and an open connection would hold that up.
      connection: "close",
    }),
    stream: (pieces) => pieces,
  };
}

/** The same answer with `success: true` beside it, as the paths of the SDK have it. */
export function withSuccess<Value>(reply: ResponseType<Value>): ResponseType<Value> {
  const { body, wrap } = reply;
  const { properties = {} } = (body ?? {}) as Partial<TObject>;
  return {
    ...reply,
    body: Type.Object({ success: Type.Literal(true), ...properties }),
    // What is wrapped is an object: `{ data }`, or that with its pagination.
    wrap: (value) => ({ success: true, ...(wrap(value) as object) }),
  };
}

/** A file that is made while it is sent, however long it is. */
export interface Download {
  readonly mediaType: string;
  readonly fileName: string;
  /** Texts, in UTF-8, or bytes. */
  readonly pieces: AsyncIterable<string | Uint8Array>;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it is only a part of the file. */
  readonly partial?: boolean;
}

/** Of a file that is no text. */
const BYTES = /^application\/(?!json|x-ndjson)/;

/** The answer is a file; `mediaTypes` are those that it may have, with commas between them. */
export function download(mediaTypes: string): ResponseType<Download> {
  return {
    status: 200,
    body: undefined,
    mediaType: mediaTypes,
    wrap: () => undefined,
    headers: ({ mediaType, fileName, headers }) => ({
      "content-type": BYTES.test(mediaType) ? mediaType : `${mediaType}; charset=utf-8`,
      "content-disposition": `attachment; filename="${fileName.replaceAll(/[^\w.-]/g, "_")}"`,
      ...headers,
    }),
    stream: ({ pieces }) => pieces,
  };
}

/** The same of a file that is kept, of which a client may ask for a part. */
export function resumableDownload(mediaTypes: string): ResponseType<Download> {
  return {
    ...download(mediaTypes),
    alternative: { status: 206, when: ({ partial }) => partial === true },
  };
}

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

/** A page that may tell how many there are, where somebody asked. */
export interface CountedPage<T> extends Page<T> {
  readonly total?: number | undefined;
}

export function countedPage<S extends TSchema>(item: S): ResponseType<CountedPage<Static<S>>> {
  return {
    status: 200,
    body: Type.Object({ data: Type.Array(item), pagination: CountedPagination }),
    wrap: wrapCounted,
    headers: () => ({}),
  };
}

/** A thing whose fields its owner chose, so that nobody knows them beforehand: it goes out as it is. */
export interface DynamicItem {
  readonly data: object;
  /** Becomes the ETag. */
  readonly revision?: number;
  /** Of what says how it is shown: stands in the ETag too, once that has changed. */
  readonly formRevision?: number;
}

export function dynamicItem<Value extends DynamicItem = DynamicItem>(
  schema: TSchema,
  { status = 200, location }: { status?: number; location?: (value: Value) => string } = {},
): ResponseType<Value> {
  return {
    status,
    body: Type.Object({ data: schema }),
    wrap: ({ data }) => ({ data }),
    text: ({ data }) => `{"data":${JSON.stringify(data)}}`,
    headers: (value) => ({
      ...(location && { location: location(value) }),
      ...(value.revision !== undefined && { etag: etagOf(value.revision, value.formRevision) }),
    }),
  };
}

/** A page of such things. */
export function dynamicPage(item: TSchema): ResponseType<CountedPage<object>> {
  return {
    status: 200,
    body: Type.Object({ data: Type.Array(item), pagination: CountedPagination }),
    wrap: wrapCounted,
    text: (value) => JSON.stringify(wrapCounted(value)),
    headers: () => ({}),
  };
}

function wrapCounted({ data, nextCursor, limit, total }: CountedPage<unknown>) {
  return { data, pagination: { nextCursor, hasMore: nextCursor !== null, limit, total } };
}

const Pagination = Type.Object(
  {
    nextCursor: nullable(Type.String({ description: "Send it as `after` to go on" })),
    hasMore: Type.Boolean(),
    limit: Type.Integer(),
  },
  { title: "Pagination" },
);

const CountedPagination = Type.Object({
  ...Pagination.properties,
  total: Type.Optional(Type.Integer({ description: "With `count=exact`" })),
});

function dataReply<S extends TSchema>(
  status: number,
  schema: S,
  extras: Extras<Static<S>>,
): ResponseType<HandlerResult<S>> {
  return {
    status,
    body: Type.Object({ data: schema }),
    wrap: (data) => ({ data }),
    ...(extras.alternative && { alternative: extras.alternative }),
    headers: (value, settings) => ({
      ...extras.headers?.(value, settings),
      ...(extras.location && { location: extras.location(value) }),
      ...(hasRevision(value) && { etag: etagOf(value.revision) }),
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
