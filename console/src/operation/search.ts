export const OPERATION_TABS = [
  "overview",
  "load",
  "work",
  "storage",
  "backups",
  "imports",
  "settings",
  "log",
  "operators",
] as const;
export type OperationTab = (typeof OPERATION_TABS)[number];

export interface OperationSearch {
  readonly tab?: OperationTab | undefined;
  readonly level?: LogLevel | undefined;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function readOperationSearch(search: Readonly<Record<string, unknown>>): OperationSearch {
  const tab = OPERATION_TABS.find((one) => one === search["tab"]);
  const level = LOG_LEVELS.find((one) => one === search["level"]);
  return { ...(tab && { tab }), ...(level && { level }) };
}
