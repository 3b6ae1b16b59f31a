import "../catalog.css";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft, PenLine } from "lucide-react";
import { useState } from "react";
import { ApiError, call, type Schemas, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { uploadFile } from "../../data/files/files.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import {
  type FieldError,
  findMissing,
  Form,
  initialValue,
  type Schema,
  toSendable,
} from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { notify } from "../../ui/toast.tsx";
import { useReferenceFields } from "./reference-fields.tsx";
import { Button } from "../../ui/form/button.tsx";

type Item = Schemas["CatalogItem"];

/** One item: what it is, and the form that asks for it. */
export function CatalogItem() {
  const { id } = useParams({ from: "/inside/catalog/$id" });
  const { data, error, isPending, refetch } = useOp("catalog.get_item", { params: { id } });
  const item = data?.data;
  useTitle(item?.name);
  if (isGone(error)) return <NotFound />;
  return (
    <div className="page paper">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={8} />}
      {item?.id === id && <ItemSheet key={item.id} item={item} />}
    </div>
  );
}

function ItemSheet({ item }: { readonly item: Item }) {
  const navigate = useNavigate();
  const mayWrite = useMay()("catalog.create_item");
  const edit = (): void => void navigate({ to: "/catalog/$id/edit", params: { id: item.id } });
  const refusal = useRefusal("catalog.create_item");
  useActions([{ keys: "e", label: "Edit the form", run: edit, disabled: refusal }]);
  return (
    <>
      <header className="page-head">
        <Link className="btn bare icon" aria-label="Catalog" to="/catalog">
          <ArrowLeft />
        </Link>
        <span className="muted cut">{item.category}</span>
        {item.status !== "active" && <State state={item.status} />}
        <span className="grow" />
        {mayWrite && (
          <Button aria-keyshortcuts="e" onClick={edit}>
            <PenLine /> Edit
          </Button>
        )}
      </header>
      <div className="scroll cat-item" tabIndex={0} role="region" aria-label={item.name}>
        <h1>{item.name}</h1>
        {item.description !== "" && <p className="cat-about">{item.description}</p>}
        <Terms item={item} />
        {item.status === "active" ? (
          <OrderForm item={item} />
        ) : (
          <p className="notice">Nobody can ask for it now: it is {item.status}.</p>
        )}
      </div>
    </>
  );
}

/** What it costs, how long it takes, and whether somebody must agree. */
export function Terms({ item }: { readonly item: Pick<Item, "estimate" | "price" | "approval"> }) {
  const words = [
    item.estimate && `Usually takes ${item.estimate}`,
    item.price,
    item.approval.required && "Needs approval",
  ].filter(Boolean);
  return words.length > 0 ? <p className="muted">{words.join(" · ")}</p> : null;
}

function OrderForm({ item }: { readonly item: Item }) {
  const navigate = useNavigate();
  // Checked by the server when it was saved.
  const schema = item.form as Schema;
  const [value, setValue] = useState<unknown>(() => initialValue(schema));
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [isBusy, setBusy] = useState(false);
  const draw = useReferenceFields();
  const send = async (): Promise<void> => {
    const missing = findMissing(schema, value);
    setErrors(missing);
    if (missing.length > 0) return;
    setBusy(true);
    try {
      const values = toSendable(schema, value) as Record<string, unknown>;
      const { data } = await call("requests.submit", { body: { itemId: item.id, values } });
      notify(`${data.number} is on its way`);
      void navigate({ to: "/tickets/$reference", params: { reference: data.number } });
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.errors.length > 0) setErrors(error.errors);
      else notify(describeRefusal(error));
    }
  };
  return (
    <form
      className="cat-order"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Form
        schema={schema}
        value={value}
        errors={errors}
        base="/values"
        isDisabled={isBusy}
        draw={draw}
        upload={async (file) => (await uploadFile(file)).id}
        onChange={setValue}
      />
      <Button look="main" disabled={isBusy}>
        {item.approval.required ? "Send for approval" : "Ask for it"}
      </Button>
    </form>
  );
}
