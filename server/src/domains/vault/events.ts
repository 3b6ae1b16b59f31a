import { changeEvent, event } from "#kernel/log/event.ts";
import { SecretData } from "./secret.ts";

export const SecretCreated = event("audit.secret.created", {
  resource: "secret",
  summary: "A secret was stored.",
  data: SecretData,
});

export const SecretUpdated = changeEvent("audit.secret.updated", {
  resource: "secret",
  summary: "A secret was given a new value. `changes` names `value` too, which is never shown.",
  data: SecretData,
});

export const SecretDeleted = event("audit.secret.deleted", {
  resource: "secret",
  summary: "A secret was deleted.",
  data: SecretData,
});
