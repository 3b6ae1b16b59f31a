import { event } from "#kernel/log/event.ts";
import { EmbedToken } from "./embed-token.ts";

const about = (summary: string) => ({ resource: "embed_token", summary, data: EmbedToken });

export const EmbedTokenCreated = event(
  "audit.embed_token.created",
  about("A token was made by which an app can be shown in a page of somebody else."),
);
export const EmbedTokenRevoked = event(
  "audit.embed_token.revoked",
  about("An embed token is no longer good for anything."),
);
