import Type from "typebox";
import { event } from "#kernel/event.ts";
import { id } from "#kernel/schema.ts";

const SessionRef = Type.Object({ sessionId: id("ses"), userId: id("usr"), address: Type.String() });

export const LoggedIn = event("audit.auth.login", {
  resource: "session",
  summary: "Somebody logged in.",
  data: SessionRef,
});

export const LoginFailed = event("audit.auth.login_failed", {
  resource: "user",
  summary: "A login was refused.",
  data: Type.Object({ email: Type.String(), address: Type.String() }),
});

export const LoggedOut = event("audit.auth.logout", {
  resource: "session",
  summary: "Somebody ended their session.",
  data: SessionRef,
});
