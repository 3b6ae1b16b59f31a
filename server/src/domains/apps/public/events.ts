import { event } from "#kernel/log/event.ts";
import { Publication } from "./publication.ts";

const about = (summary: string) => ({ resource: "app_publication", summary, data: Publication });

export const AppMadePublic = event(
  "audit.app_publication.created",
  about("An app was opened to anyone, or acts for somebody else from now on."),
);
export const AppDomainSet = event(
  "audit.app_publication.updated",
  about("A public app got a domain, or lost it."),
);
export const AppMadePrivate = event(
  "audit.app_publication.deleted",
  about("An app that was open to anyone is not any more."),
);
