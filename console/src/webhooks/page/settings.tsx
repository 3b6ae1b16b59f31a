import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { Comparison } from "../form/comparison.tsx";
import { checkDraft, toBody, toDraft, type WebhookDraft } from "../form/draft.ts";
import { Preview } from "../form/preview.tsx";
import { WebhookFields } from "../form/webhook-fields.tsx";
import type { Webhook } from "../health.ts";

/** The fields of an existing webhook, saved on the version that was loaded. */
export function Settings({ webhook }: { readonly webhook: Webhook }) {
  const params = { id: webhook.id };
  const form = useForm("webhooks.update", {
    params,
    initial: toDraft(webhook),
    version: versionOf("webhooks.get", { params }, ({ data }) => toDraft(data)),
    toBody: (draft: WebhookDraft) => toBody(draft),
    check: checkDraft,
    said: ({ data }) => data.warnings?.[0]?.message ?? `${data.name} saved.`,
  });
  return (
    <div className="hook-form scroll">
      <FormPanel
        form={form}
        label="Settings"
        aside={
          <>
            {form.isDirty && <Comparison webhook={webhook} draft={form.values} />}
            <Preview draft={form.values} />
          </>
        }
      >
        <WebhookFields form={form} isNew={false} />
      </FormPanel>
    </div>
  );
}
