import { event } from "#kernel/log/event.ts";
import { EmbedToken } from "./embed-token.ts";

const about = (summary: string) => ({ resource: "embed_token", summary, data: EmbedToken });

export const EmbedTokenCreated = event(
  "audit.embed_token.created",
  about("An embed token of an app was created."),
);
export const EmbedTokenRevoked = event(
  "audit.embed_token.revoked",
  about("An embed token was revoked."),
);
