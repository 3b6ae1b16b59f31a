import { changeEvent, event } from "#kernel/log/event.ts";
import { AppData } from "./app.ts";

const about = (summary: string) => ({ resource: "app", summary, data: AppData });

export const AppCreated = event("app.created", about("An app was made."));
export const AppUpdated = changeEvent(
  "app.updated",
  about("An app was changed: what it is called, its pages or its data sources."),
);
export const AppUnarchived = event(
  "app.unarchived",
  about("An archived app can be opened and changed again."),
);
export const AppArchived = event(
  "app.archived",
  about("An app was archived: nobody can open it any more."),
);
