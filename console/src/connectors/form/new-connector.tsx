import "../connectors.css";
import "../../ui/display/section.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, call, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { type FieldError, initialValue, isFields, type Schema } from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { notify } from "../../ui/toast.tsx";
import { drawType } from "../connector-type.ts";
import { ConnectorFields } from "./connector-fields.tsx";
import { type ConnectorDraft, type ConnectorType, toParts } from "./draft.ts";
import { configOfPreset, type Preset, typeOfPreset } from "./preset.ts";
import { Monogram, PresetGallery } from "./preset-gallery.tsx";
import { Button } from "../../ui/form/button.tsx";

/** A new connector: its type first, then the fields of that type. */
export function NewConnector() {
  useTitle("New connector");
  const { type: name, preset } = useSearch({ from: "/inside/connectors/new" });
  const { data, error } = useOp("connectors.types", { query: { limit: 200 } });
  const service = useOp(
    "connectors.get_preset",
    { params: { preset: preset ?? "" } },
    { enabled: preset !== undefined },
  );
  const type = data?.data.find((one) => one.type === (preset === undefined ? name : "preset"));
  const problem = error ?? (preset === undefined ? null : service.error);
  if (problem) return <ErrorNotice error={problem} />;
  const isComing = preset === undefined ? name !== undefined && !data : !data || !service.data;
  if (isComing) return <Loading rows={8} />;
  if (type && service.data && preset !== undefined) {
    const chosen = service.data.data;
    return <NewOfType key={chosen.id} type={typeOfPreset(type, chosen)} preset={chosen} />;
  }
  if (type) return <NewOfType key={type.type} type={type} />;
  return (
    <div className="scroll folio">
      <div className="folio-body wide">
        <header className="folio-head">
          <h1>What do you want to connect to?</h1>
        </header>
        <PresetGallery />
      </div>
    </div>
  );
}

function NewOfType({ type, preset }: { readonly type: ConnectorType; readonly preset?: Preset }) {
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const { label: typeLabel, icon: Icon } = drawType(type.type);
  const label = preset?.title ?? typeLabel;
  const [draft, setDraft] = useState<ConnectorDraft>(() => {
    const config = initialValue(type.config as Schema);
    return {
      name: preset?.title ?? "",
      config: isFields(config) ? config : {},
      auth: { kind: type.auth[0]?.kind ?? "none" },
    };
  });
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const denied = refusalOf("connectors.create");
  const reason = denied ?? (draft.name.trim() === "" ? "It needs a name." : undefined);
  const save = async (): Promise<void> => {
    setBusy(true);
    setErrors([]);
    setProblem(undefined);
    try {
      const name = draft.name.trim();
      // Its name is one of those that the server listed.
      const parts = toParts(type, draft);
      const config = preset ? configOfPreset(preset, parts.config) : parts.config;
      const body = { name, type: type.type as "http", ...parts, config };
      const { data } = await call("connectors.create", { body });
      notify(`${name} is made. Test it next.`);
      void navigate({ to: "/connectors/$id", params: { id: data.id } });
    } catch (failure) {
      if (failure instanceof ApiError && failure.errors.length > 0) setErrors(failure.errors);
      else setProblem(failure instanceof Error ? failure : new Error(String(failure)));
      setBusy(false);
    }
  };
  useActions([
    { keys: "mod+s", label: "Create", run: () => void save(), disabled: reason, always: true },
  ]);
  return (
    <form
      className="page"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason === undefined && !isBusy) void save();
      }}
    >
      <header className="page-head">
        {preset ? <Monogram title={preset.title} /> : <Icon className="ico" />}
        <h1 className="grow">New {label} connector</h1>
        <Link to="/connectors/new" className="btn">
          Another service
        </Link>
        <Button look="main" disabled={reason !== undefined || isBusy} title={reason}>
          Create <Keys keys="mod+s" />
        </Button>
      </header>
      {problem && <ErrorNotice error={problem} />}
      <div className="scroll con-form">
        {preset && <PresetNotes preset={preset} kind={draft.auth.kind} />}
        <ConnectorFields
          type={type}
          draft={draft}
          errors={errors}
          onChange={(change) => setDraft((old) => ({ ...old, ...change }))}
        />
      </div>
    </form>
  );
}

/** How one gets at what the form asks for. */
function PresetNotes({ preset, kind }: { readonly preset: Preset; readonly kind: string }) {
  const way = preset.auth.find((one) => one.kind === kind);
  return (
    <div className="con-notes">
      <p>{preset.guide}</p>
      {way && (
        <p className="muted">
          {way.title}
          {way.hint === null ? "" : `: ${way.hint}`}
        </p>
      )}
    </div>
  );
}
