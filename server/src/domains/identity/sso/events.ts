import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { ConfigurationEventData, Protocol } from "./settings/configuration.ts";
import { REASONS } from "./login/failure.ts";

export const SsoUpdated = event("audit.sso.updated", {
  resource: "sso_configuration",
  summary: "Single sign-on was configured.",
  data: ConfigurationEventData,
});

export const SsoDeleted = event("audit.sso.deleted", {
  resource: "sso_configuration",
  summary: "Single sign-on was removed.",
  data: ConfigurationEventData,
});

export const SsoLoginStarted = event("audit.sso.login_started", {
  resource: "sso_configuration",
  summary: "A user was redirected to the identity provider.",
  data: Type.Object({ protocol: Protocol, address: Type.String() }),
});

export const SsoTested = event("audit.sso.tested", {
  resource: "sso_configuration",
  summary: "An owner tested single sign-on. No session was created.",
  data: Type.Object({
    protocol: Protocol,
    succeeded: Type.Boolean(),
    startedBy: Type.String(),
    reasons: Type.Array(Type.Enum([...REASONS]), {
      description: "Reason why a sign-in would be rejected",
    }),
    address: Type.String(),
    email: Type.Optional(Type.String()),
  }),
});

export const SsoLoginFailed = event("audit.sso.login_failed", {
  resource: "sso_configuration",
  summary: "A sign-in by single sign-on was rejected.",
  data: Type.Object({
    protocol: Protocol,
    reason: Type.Enum([...REASONS]),
    detail: Type.String({ description: "Details for the administrator of the identity provider" }),
    address: Type.String(),
    email: Type.Optional(Type.String()),
  }),
});
