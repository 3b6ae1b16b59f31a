import "../webhooks.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useForm } from "../../data/form/use-form.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { useTitle } from "../../shell/title.ts";
import { checkDraft, NEW_DRAFT, toBody, type WebhookDraft } from "./draft.ts";
import { Preview } from "./preview.tsx";
import { WebhookFields } from "./webhook-fields.tsx";

/** Creates a webhook: its fields, next to a preview of matching events. */
export function NewWebhook() {
  useTitle("New webhook");
  const search = useSearch({ from: "/inside/webhooks/new" });
  const navigate = useNavigate();
  const form = useForm("webhooks.create", {
    initial: {
      ...NEW_DRAFT,
      url: search.url ?? "",
      events: search.events?.split(",").filter(Boolean) ?? [],
    },
    toBody: (draft: WebhookDraft) => toBody(draft),
    check: checkDraft,
    said: ({ data }) =>
      [`${data.name} created.`, data.warnings?.[0]?.message ?? ""].join(" ").trim(),
    onDone: ({ data }) => void navigate({ to: "/webhooks/$id", params: { id: data.id } }),
  });
  return (
    <div className="page paper">
      <header className="page-head">
        <h1 className="grow">New webhook</h1>
      </header>
      <div className="hook-form scroll">
        <FormPanel
          form={form}
          label="New webhook"
          act="Create webhook"
          isNew
          aside={<Preview draft={form.values} />}
        >
          <WebhookFields form={form} isNew />
        </FormPanel>
      </div>
    </div>
  );
}
