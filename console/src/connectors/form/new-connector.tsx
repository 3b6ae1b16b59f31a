import "../connectors.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, call, invalidate, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { type FieldError, initialValue, isFields, type Schema } from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { notify } from "../../ui/toast.tsx";
import { drawType } from "../connector-type.ts";
import { ConnectorFields } from "./connector-fields.tsx";
import { type ConnectorDraft, type ConnectorType, toParts } from "./draft.ts";
import { TypeGallery } from "./type-gallery.tsx";

/** A new connector: its type first, then the fields of that type. */
export function NewConnector() {
  useTitle("New connector");
  const { type: name } = useSearch({ from: "/inside/connectors/new" });
  const { data, error } = useOp("connectors.types", { query: { limit: 200 } });
  const type = data?.data.find((one) => one.type === name);
  if (error) return <ErrorNotice error={error} />;
  if (name !== undefined && !data) return <Loading rows={8} />;
  if (type) return <NewOfType key={type.type} type={type} />;
  return (
    <div className="scroll folio">
      <div className="folio-body wide">
        <h1>What do you want to connect to?</h1>
        <TypeGallery />
      </div>
    </div>
  );
}

function NewOfType({ type }: { readonly type: ConnectorType }) {
  const navigate = useNavigate();
  const may = useMay();
  const { label, icon: Icon } = drawType(type.type);
  const [draft, setDraft] = useState<ConnectorDraft>(() => {
    const config = initialValue(type.config as Schema);
    return {
      name: "",
      config: isFields(config) ? config : {},
      auth: { kind: type.auth[0]?.kind ?? "none" },
    };
  });
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [problem, setProblem] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const denied = may("connectors:write") ? undefined : "You may not add connectors here.";
  const reason = denied ?? (draft.name.trim() === "" ? "It needs a name." : undefined);
  const save = async (): Promise<void> => {
    setBusy(true);
    setErrors([]);
    setProblem(undefined);
    try {
      const name = draft.name.trim();
      // Its name is one of those that the server listed.
      const body = { name, type: type.type as "http", ...toParts(type, draft) };
      const { data } = await call("connectors.create", { body });
      invalidate(["connectors."]);
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
        <Icon className="ico" />
        <h1 className="grow">New {label} connector</h1>
        <Link to="/connectors/new" className="btn">
          Another type
        </Link>
        <button className="btn main" disabled={reason !== undefined || isBusy} title={reason}>
          Create <Keys keys="mod+s" />
        </button>
      </header>
      {problem && <ErrorNotice error={problem} />}
      <div className="scroll con-form">
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
