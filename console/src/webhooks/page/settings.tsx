import { useState } from "react";
import { call, etagOf, invalidate } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { Keys } from "../../ui/key.tsx";
import { notify } from "../../ui/toast.tsx";
import { Comparison } from "../form/comparison.tsx";
import { findGap, toBody, toDraft, type WebhookDraft } from "../form/draft.ts";
import { errorsBy } from "../form/new-webhook.tsx";
import { Preview } from "../form/preview.tsx";
import { WebhookFields } from "../form/webhook-fields.tsx";
import type { Webhook } from "../health.ts";

/** The fields of a webhook that exists, saved on the version that they were read from. */
export function Settings({ webhook }: { readonly webhook: Webhook }) {
  const { id } = webhook;
  const may = useMay();
  const [draft, setDraft] = useState<WebhookDraft>();
  const [base, setBase] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const shown = draft ?? toDraft(webhook);
  const mayWrite = may("webhooks:write");
  const isChanged = draft !== undefined;
  const gap = mayWrite ? findGap(shown) : "You may not change webhooks.";
  const reason = gap ?? (isChanged ? undefined : "Nothing is changed.");
  const change = (fields: Partial<WebhookDraft>): void => {
    if (!isChanged) setBase(etagOf("webhooks.get", { params: { id } }));
    setDraft({ ...shown, ...fields });
  };
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await call(
        "webhooks.update",
        { params: { id }, body: toBody(shown) },
        base === undefined ? {} : { ifMatch: base },
      );
      invalidate(["webhooks."]);
      setDraft(undefined);
      notify(data.warnings?.[0]?.message ?? `${data.name} is saved.`);
    } catch (failure) {
      setError(failure);
      notify(describeRefusal(failure));
    }
    setBusy(false);
  };
  useActions([
    { keys: "mod+s", label: "Save", run: () => void save(), disabled: reason, always: true },
  ]);
  return (
    <div className="hook-form scroll">
      <div>
        <WebhookFields
          draft={shown}
          onChange={change}
          isNew={false}
          isDisabled={!mayWrite}
          errorAt={errorsBy(error)}
        />
        <footer className="hook-save">
          <button
            className="btn main"
            disabled={reason !== undefined || isBusy}
            title={reason}
            onClick={() => void save()}
          >
            Save <Keys keys="mod+s" />
          </button>
          {isChanged && (
            <button className="btn" onClick={() => setDraft(undefined)}>
              Discard changes
            </button>
          )}
        </footer>
      </div>
      <div className="hook-trial">
        {isChanged && <Comparison webhook={webhook} draft={shown} />}
        <Preview draft={shown} />
      </div>
    </div>
  );
}
