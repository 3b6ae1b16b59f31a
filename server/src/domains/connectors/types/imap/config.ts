import Type, { type Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { hostName } from "../../upstream/target.ts";
import { limits } from "../connector-type.ts";
import { notDestination } from "../../destination-mark.ts";

/** The configuration of an IMAP connector. */
export const config = object({
  host: hostName("Host of the mail server"),
  port: Type.Integer({ minimum: 1, maximum: 65_535, default: 993 }),
  security: Type.Enum(["tls", "starttls", "none"], {
    default: "tls",
    description:
      "`tls`: encrypted from the start (port 993). `starttls`: encrypted before the sign-in (port 143). `none`",
  }),
  allowWrites: notDestination(
    Type.Boolean({
      default: false,
      description: "Whether actions can change the mailbox",
    }),
  ),
  maxConnections: notDestination(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 2,
      description: "Per node",
    }),
  ),
  ...limits,
});
export type ImapConfig = Static<typeof config>;
