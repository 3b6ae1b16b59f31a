/** Parameters and failures of every request to a deployed app. */
import Type from "typebox";
import { NobodyBehind } from "#domains/identity/accounts/index.ts";
import { Forbidden, NoSuchWorkspace, NotFound } from "#kernel/operation/failure.ts";
import { EmbedRefused } from "../embedding/embed-token.ts";

const Slug = Type.String({ pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" });

export const appParams = { workspace: Slug, slug: Slug };
export const appQuery = {
  environment: Type.Optional(
    Type.Enum(["production", "staging", "development"], {
      description: "Default: `production`",
    }),
  ),
  embed_token: Type.Optional(Type.String({ maxLength: 12_000 })),
};
export const appExample = { params: { workspace: "default", slug: "orders" } };
export const appFails = [NoSuchWorkspace, Forbidden, NotFound, EmbedRefused, NobodyBehind];
