import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { ConfigurationEventData, Protocol } from "./settings/configuration.ts";
import { REASONS } from "./login/failure.ts";

export const SsoUpdated = event("audit.sso.updated", {
  resource: "sso_configuration",
  summary: "Single sign-on was set up, or set up anew.",
  data: ConfigurationEventData,
});

export const SsoDeleted = event("audit.sso.deleted", {
  resource: "sso_configuration",
  summary: "Single sign-on was taken away.",
  data: ConfigurationEventData,
});

export const SsoLoginStarted = event("audit.sso.login_started", {
  resource: "sso_configuration",
  summary: "Somebody was sent to the identity provider.",
  data: Type.Object({ protocol: Protocol, address: Type.String() }),
});

export const SsoTested = event("audit.sso.tested", {
  resource: "sso_configuration",
  summary: "An owner tried single sign-on; no session began.",
  data: Type.Object({
    protocol: Protocol,
    succeeded: Type.Boolean(),
    startedBy: Type.String(),
    reasons: Type.Array(Type.Enum([...REASONS]), { description: "Why a login would be refused" }),
    address: Type.String(),
    email: Type.Optional(Type.String()),
  }),
});

export const SsoLoginFailed = event("audit.sso.login_failed", {
  resource: "sso_configuration",
  summary: "A login by single sign-on was refused.",
  data: Type.Object({
    protocol: Protocol,
    reason: Type.Enum([...REASONS]),
    detail: Type.String({ description: "What was wrong, for whoever runs the identity provider" }),
    address: Type.String(),
    email: Type.Optional(Type.String()),
  }),
});
