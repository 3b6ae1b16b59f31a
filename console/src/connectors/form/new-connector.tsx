import "../connectors.css";
import "../../ui/display/section.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { initialValue, isFields, type Schema } from "../../form/index.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { drawType } from "../connector-type.ts";
import { ConnectorFields } from "./connector-fields.tsx";
import { type ConnectorDraft, type ConnectorType, toParts } from "./draft.ts";
import { configOfPreset, type Preset, typeOfPreset } from "./preset.ts";
import { Monogram, PresetGallery } from "./preset-gallery.tsx";

/** Creates a connector: first its type, then the fields of that type. */
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
          <h1>Select a service to connect</h1>
        </header>
        <PresetGallery />
      </div>
    </div>
  );
}

function NewOfType({ type, preset }: { readonly type: ConnectorType; readonly preset?: Preset }) {
  const navigate = useNavigate();
  const { label: typeLabel, icon: Icon } = drawType(type.type);
  const label = preset?.title ?? typeLabel;
  const [initial] = useState((): ConnectorDraft => {
    const config = initialValue(type.config as Schema);
    return {
      name: preset?.title ?? "",
      config: isFields(config) ? config : {},
      auth: { kind: type.auth[0]?.kind ?? "none" },
    };
  });
  const form = useForm("connectors.create", {
    initial,
    toBody: (draft: ConnectorDraft) => {
      const parts = toParts(type, draft);
      const config = preset ? configOfPreset(preset, parts.config) : parts.config;
      // The type is one of those that the server listed.
      return { name: draft.name, type: type.type as "http", ...parts, config };
    },
    said: ({ data }) => `${data.name} created. Test the connector next.`,
    onDone: ({ data }) => void navigate({ to: "/connectors/$id", params: { id: data.id } }),
  });
  return (
    <div className="page">
      <header className="page-head">
        {preset ? <Monogram title={preset.title} /> : <Icon className="ico" />}
        <h1 className="grow">New {label} connector</h1>
        <Link to="/connectors/new" className="btn">
          Another service
        </Link>
      </header>
      <div className="scroll con-form">
        {preset && <PresetNotes preset={preset} kind={form.values.auth.kind} />}
        <FormPanel form={form} label={`New ${label} connector`} act="Create connector" isNew>
          <ConnectorFields type={type} form={form} />
        </FormPanel>
      </div>
    </div>
  );
}

/** Explains how to get the values that the form asks for. */
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
