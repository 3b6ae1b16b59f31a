import { changeEvent, event } from "#kernel/log/event.ts";
import { AppData } from "./app.ts";

const about = (summary: string) => ({ resource: "app", summary, data: AppData });

export const AppCreated = event("app.created", about("An app was created."));
export const AppUpdated = changeEvent(
  "app.updated",
  about("The name, pages or data sources of an app were changed."),
);
export const AppUnarchived = event("app.unarchived", about("An archived app was restored."));
export const AppArchived = event(
  "app.archived",
  about("An app was archived. It can't be opened any longer."),
);
