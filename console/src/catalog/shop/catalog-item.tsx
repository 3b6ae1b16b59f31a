import "../catalog.css";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft, PenLine } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { uploadFile } from "../../data/files/files.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import { findMissing, Form, initialValue, type Schema, toSendable } from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { isGone, NotFound } from "../../shell/not-found.tsx";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";
import { useReferenceFields } from "./reference-fields.tsx";
import { Button } from "../../ui/form/button.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";

type Item = Schemas["CatalogItem"];

/** Shows a catalog item and the request form. */
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
  useActions([{ keys: "e", label: "Edit form", run: edit, disabled: refusal }]);
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
          <p className="notice">
            You can't request this item, because its status is {item.status}.
          </p>
        )}
      </div>
    </>
  );
}

/** The price, the delivery time, and whether approval is needed. */
export function Terms({ item }: { readonly item: Pick<Item, "estimate" | "price" | "approval"> }) {
  const words = [
    item.estimate && `Delivery time: ${item.estimate}`,
    item.price,
    item.approval.required && "Requires approval",
  ].filter(Boolean);
  return words.length > 0 ? <p className="muted">{words.join(" · ")}</p> : null;
}

function OrderForm({ item }: { readonly item: Item }) {
  const navigate = useNavigate();
  // The server validated the form when it was saved.
  const schema = item.form as Schema;
  const draw = useReferenceFields();
  const form = useForm("requests.submit", {
    initial: { values: initialValue(schema) },
    toBody: ({ values }: { readonly values: unknown }) => ({
      itemId: item.id,
      values: toSendable(schema, values) as Record<string, unknown>,
    }),
    check: ({ values }) => ({
      values: findMissing(schema, values).length > 0 ? "Fill in the required fields." : undefined,
    }),
    said: ({ data }) => `Request ${data.number} submitted`,
    onDone: ({ data }) =>
      void navigate({ to: "/tickets/$reference", params: { reference: data.number } }),
  });
  const values = form.field("values");
  const isMarked = values.errorFor("Form") !== undefined;
  return (
    <div className="cat-order">
      <InlineForm
        form={form}
        label={item.name}
        act={item.approval.required ? "Submit for approval" : "Submit request"}
        isMain
      >
        <Form
          schema={schema}
          value={values.value}
          errors={[
            ...form.errorsOf("values").filter(({ path }) => path !== "/values"),
            ...(isMarked ? findMissing(schema, values.value) : []),
          ]}
          base="/values"
          isDisabled={form.isBusy}
          draw={draw}
          upload={async (file) => (await uploadFile(file)).id}
          onChange={(next) => values.onChange(next ?? {})}
        />
      </InlineForm>
    </div>
  );
}
