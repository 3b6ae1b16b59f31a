import "../webhooks.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, call, invalidate } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { notify } from "../../ui/toast.tsx";
import { findGap, NEW_DRAFT, toBody, type WebhookDraft } from "./draft.ts";
import { Preview } from "./preview.tsx";
import { WebhookFields } from "./webhook-fields.tsx";

/** The messages of a refusal by the field that they are about; what lies deeper counts for its field. */
export function errorsBy(error: unknown): (pointer: string) => string | undefined {
  const errors = error instanceof ApiError ? error.errors : [];
  return (pointer) =>
    errors.find(({ path }) => path === pointer || path.startsWith(`${pointer}/`))?.message;
}

/** A new webhook: its fields, and beside them what it would have sent. */
export function NewWebhook() {
  useTitle("New webhook");
  const search = useSearch({ from: "/inside/webhooks/new" });
  const navigate = useNavigate();
  const may = useMay();
  const [draft, setDraft] = useState<WebhookDraft>(() => ({
    ...NEW_DRAFT,
    url: search.url ?? "",
    events: search.events?.split(",").filter(Boolean) ?? [],
  }));
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const gap = may("webhooks:write") ? findGap(draft) : "You may not make webhooks here.";
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await call("webhooks.create", { body: toBody(draft) });
      invalidate(["webhooks."]);
      const [warning] = data.warnings ?? [];
      notify(warning ? `${data.name} is made. ${warning.message}` : `${data.name} is made.`);
      void navigate({ to: "/webhooks/$id", params: { id: data.id } });
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
      setBusy(false);
    }
  };
  useActions([
    {
      keys: "mod+s",
      label: "Create the webhook",
      run: () => void save(),
      disabled: gap,
      always: true,
    },
  ]);
  return (
    <form
      className="page paper"
      onSubmit={(event) => {
        event.preventDefault();
        if (gap === undefined && !isBusy) void save();
      }}
    >
      <header className="page-head">
        <h1 className="grow">New webhook</h1>
        <button className="btn main" disabled={gap !== undefined || isBusy} title={gap}>
          Create <Keys keys="mod+s" />
        </button>
      </header>
      {error && <ErrorNotice error={error} />}
      <div className="hook-form scroll">
        <WebhookFields
          draft={draft}
          onChange={(change) => setDraft((old) => ({ ...old, ...change }))}
          isNew
          isDisabled={false}
          errorAt={errorsBy(error)}
        />
        <Preview draft={draft} />
      </div>
    </form>
  );
}
