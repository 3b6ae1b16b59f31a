export { SessionEntry } from "./sessions.tsx";
export { RevokeDialog, SecretDialog } from "./tokens/credential-dialog.tsx";
export { type ApiToken, TokenEntry } from "./tokens/token-entry.tsx";
export { ScopesField } from "./tokens/scope-picker.tsx";
