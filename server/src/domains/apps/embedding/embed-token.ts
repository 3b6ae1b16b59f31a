/**
 * Embed tokens: signed claims about the app, page, context and origins. A row stores whether the token is revoked
 * and for whom it acts; that member's permissions are resolved on each request.
 */
import Type, { type Static } from "typebox";
import type { PlatformServices } from "#kernel/contract.ts";
import { equalBytes, hmac } from "#kernel/access/crypto.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { failure, invalidField } from "#kernel/operation/failure.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { AppId, PageId } from "../definition/app.ts";

const ORIGINS_MAX = 20;
const CONTEXT_CHARACTERS_MAX = 4_000;
const TOKEN_CHARACTERS_MAX = 12_000;
const EXPIRES_MAX_MS = 24 * 3_600_000;
const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export const EmbedTokenId = id("emb");

/** The fields of a request for a token. */
export const tokenInputFields = {
  expiresIn: Type.String({
    pattern: "^[1-9][0-9]{0,3}[mhd]$",
    description: "`30m`, `12h` or `1d`: at most 24 hours",
  }),
  pageId: Type.Optional(PageId),
  context: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: 50,
      description: "Value of `context` in bindings. Users of the token can't change it",
    }),
  ),
  allowedOrigins: Type.Optional(
    Type.Array(
      Type.String({
        pattern: "^https?://([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\\[[0-9a-f:]+\\])(:[0-9]{1,5})?$",
        description: "Such as `https://intranet.example.com`",
      }),
      {
        maxItems: ORIGINS_MAX,
        uniqueItems: true,
        description: "Origins whose pages can embed the app. Default: only this server",
      },
    ),
  ),
};

const tokenFields = {
  id: EmbedTokenId,
  appId: AppId,
  environment: Type.Enum(["production", "staging", "development"]),
  pageId: nullable(PageId),
  context: Type.Record(Type.String(), Type.Unknown()),
  allowedOrigins: Type.Array(Type.String()),
  createdBy: Type.String({ description: "The user that the token acts as" }),
  createdAt: Time,
  expiresAt: Time,
};

export const EmbedToken = Type.Object(
  { ...tokenFields, revokedAt: nullable(Time) },
  { title: "EmbedToken" },
);
export type EmbedToken = Static<typeof EmbedToken>;
/** A stored token. */
export type StoredEmbedToken = EmbedToken & {
  readonly permissions: readonly string[] | null;
  readonly revision: number;
};

export const IssuedToken = Type.Object(
  {
    id: EmbedTokenId,
    token: Type.String({ description: "Shown only in this response" }),
    expiresAt: Time,
    url: Type.String({ description: "URL for the `src` of the frame" }),
  },
  { title: "IssuedEmbedToken" },
);

export const EmbedRefused = failure(
  "embed_refused",
  403,
  "This embed token is invalid, expired or revoked.",
);

/** The signed content of a token. */
export interface EmbedClaims {
  readonly id: string;
  /** The workspace's key. */
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly appId: string;
  readonly pageId: string | null;
  readonly context: Readonly<Record<string, unknown>>;
  readonly allowedOrigins: readonly string[];
  readonly expiresAtMs: number;
}

export function signToken(
  { masterKey }: Pick<PlatformServices, "masterKey">,
  claims: EmbedClaims,
): string {
  const text = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${text}.${computeSignature(masterKey, text).toString("base64url")}`;
}

/** Reads the claims of a token; undefined if the signature is invalid or the token has expired. */
export function verifyToken(
  { masterKey, clock }: Pick<PlatformServices, "masterKey" | "clock">,
  token: string,
): EmbedClaims | undefined {
  const [text = "", signature = "", ...others] = token.split(".");
  if (others.length > 0 || token.length > TOKEN_CHARACTERS_MAX) return undefined;
  const isSigned = equalBytes(
    computeSignature(masterKey, text),
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) return undefined;
  // Only this server can have signed it.
  const claims = JSON.parse(Buffer.from(text, "base64url").toString()) as EmbedClaims;
  return claims.expiresAtMs > clock.nowMs() ? claims : undefined;
}

function computeSignature(masterKey: PlatformServices["masterKey"], text: string): Buffer {
  return hmac(masterKey.derive("embed tokens"), text);
}

/** Parses a duration such as `12h`. */
export function parseDurationMs(expiresIn: string): number {
  const ms = Number(expiresIn.slice(0, -1)) * (UNITS_MS[expiresIn.slice(-1)] ?? Infinity);
  if (ms > EXPIRES_MAX_MS) throw invalidField("/expiresIn", "must be at most 24 hours");
  return ms;
}

/** Throws for a context that would not fit into a URL. */
export function assertContextFits(context: Readonly<Record<string, unknown>>): void {
  if (JSON.stringify(context).length <= CONTEXT_CHARACTERS_MAX) return;
  throw invalidField(
    "/context",
    `must not have more than ${CONTEXT_CHARACTERS_MAX} characters as JSON`,
  );
}
