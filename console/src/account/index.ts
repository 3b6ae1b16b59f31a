export { SessionEntry } from "./sessions.tsx";
export { CredentialDialog, RevokeDialog, SecretDialog } from "./tokens/credential-dialog.tsx";
export { type ApiToken, TokenEntry } from "./tokens/token-entry.tsx";
export { ScopePicker } from "./tokens/scope-picker.tsx";
