import { event } from "#kernel/log/event.ts";
import { Publication } from "./publication.ts";

const about = (summary: string) => ({ resource: "app_publication", summary, data: Publication });

export const AppMadePublic = event(
  "audit.app_publication.created",
  about("An app was published, or the member that it acts as changed."),
);
export const AppDomainSet = event(
  "audit.app_publication.updated",
  about("The domain of a public app was set or removed."),
);
export const AppMadePrivate = event(
  "audit.app_publication.deleted",
  about("A public app was unpublished."),
);
