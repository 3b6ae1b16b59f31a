import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { CodeWords } from "../ui/json/code-words.tsx";
import { Control } from "./control.tsx";
import { type FieldPlace, type FieldProps, useForm } from "./context.ts";
import { Files } from "./files.tsx";
import { List, MapRows } from "./list.tsx";
import { ObjectFields } from "./object-fields.tsx";
import { isOpenChoice, OpenChoice, Several, Variant } from "./options.tsx";
import { type FieldKind, kindOf, labelOf, settleSchema } from "./schema.ts";
import { initialValue } from "./values.ts";
import { Button } from "../ui/form/button.tsx";
import { CheckBox } from "../ui/form/controls.tsx";

const GROUPS: ReadonlySet<FieldKind> = new Set([
  "object",
  "list",
  "map",
  "variant",
  "many",
  "file",
]);

/** A field with label, control, help and error, connected for screen readers. */
export function Field(place: FieldPlace) {
  const { schema: given, value, at, name, isRequired = false, isBare, isKept = false } = place;
  const { root, id: form, errors, write, draw, isDense, isDisabled } = useForm();
  const schema = settleSchema(given, value, root);
  const kind = kindOf(schema);
  if (kind === "fixed") return null;
  const id = form + at;
  const label = schema.title ?? labelOf(name);
  const error = errors.get(at);
  const about = isBare ? undefined : schema.description;
  const described = [error !== undefined && `${id}-error`, about && `${id}-about`];
  const props: FieldProps = {
    id,
    at,
    schema,
    value,
    label,
    isRequired,
    isDisabled,
    error,
    describedBy: described.filter(Boolean).join(" ") || undefined,
    onChange: (next) => write(at, next === undefined && isKept ? "" : next),
  };
  const custom = draw?.(props);
  const parts: FieldParts = {
    id,
    at,
    className: `${isBare ? "bare" : ""} k-${kind}${error === undefined ? "" : " wrong"}`,
    label: (
      <>
        {label}
        {isRequired && isDense && <i className="form-star" title="Required" />}
        {!isRequired && !isDense && kind !== "yes" && (
          <span className="form-optional"> (optional)</span>
        )}
      </>
    ),
    isBare: isBare ?? false,
    about: about && <About id={id} text={about} />,
    error: error !== undefined && (
      <p id={`${id}-error`} className="form-error">
        {label} {error}
      </p>
    ),
    describedBy: props.describedBy,
  };
  if (custom !== undefined && custom !== null) return <Plain {...parts}>{custom}</Plain>;
  if (GROUPS.has(kind) || (kind === "choice" && isOpenChoice(schema, isDense))) {
    return <Group {...parts}>{groupOf(kind, props)}</Group>;
  }
  if (kind === "yes") return <YesNo {...parts} field={props} />;
  return (
    <Plain {...parts}>
      <Control {...props} />
    </Plain>
  );
}

/** The default control, for fields that are sometimes rendered differently. */
export function PlainControl(props: FieldProps) {
  const { isDense } = useForm();
  const { id, schema, value, label } = props;
  const kind = kindOf(schema);
  if (GROUPS.has(kind) || (kind === "choice" && isOpenChoice(schema, isDense))) {
    return (
      <div id={id} tabIndex={-1} role="group" aria-label={label} className="form-plain">
        {groupOf(kind, props)}
      </div>
    );
  }
  if (kind !== "yes") return <Control {...props} />;
  return (
    <CheckBox
      id={id}
      disabled={props.isDisabled}
      checked={(value ?? schema.default) === true}
      aria-describedby={props.describedBy}
      aria-invalid={props.error === undefined ? undefined : true}
      onChange={({ target }) => props.onChange(target.checked)}
    />
  );
}

function groupOf(kind: FieldKind, props: FieldProps): ReactNode {
  if (kind === "choice") return <OpenChoice {...props} />;
  if (kind === "many") return <Several {...props} />;
  if (kind === "variant") return <Variant {...props} />;
  if (kind === "map") return <MapRows {...props} />;
  if (kind === "file") return <Files {...props} />;
  if (kind === "list") return <List {...props} />;
  return <Inner {...props} />;
}

/** An optional object with required fields is only shown after the user adds it. */
function Inner({ schema, value, at, isRequired, isDisabled, label, onChange }: FieldProps) {
  const { root } = useForm();
  const isOptional = !isRequired && (schema.required?.length ?? 0) > 0;
  if (isOptional && value === undefined) {
    return (
      <Button
        className="form-add"
        type="button"
        disabled={isDisabled}
        onClick={() => onChange(initialValue(schema, root) ?? {})}
      >
        <Plus />
        Add
      </Button>
    );
  }
  return (
    <div className="form-inner">
      <ObjectFields schema={schema} value={value} at={at} />
      {isOptional && !isDisabled && (
        <Button
          look="bare"
          className="form-add"
          type="button"
          aria-label={`Remove ${label}`}
          onClick={() => onChange(undefined)}
        >
          <X />
          Remove
        </Button>
      )}
    </div>
  );
}

interface FieldParts {
  readonly id: string;
  readonly at: string;
  readonly className: string;
  readonly label: ReactNode;
  readonly isBare: boolean;
  readonly about: ReactNode;
  readonly error: ReactNode;
  readonly describedBy: string | undefined;
}

/** Help text with `code`. */
function About({ id, text }: { readonly id: string; readonly text: string }) {
  return (
    <p id={`${id}-about`} className="form-about">
      <CodeWords text={text} />
    </p>
  );
}

function Plain(props: FieldParts & { readonly children: ReactNode }) {
  const { id, label, isBare } = props;
  const className = isBare ? "hide" : "form-label";
  return (
    <div className={`form-field ${props.className}`} data-at={props.at}>
      <label htmlFor={id} className={className}>
        {label}
      </label>
      {props.children}
      {props.about}
      {props.error}
    </div>
  );
}

function Group(props: FieldParts & { readonly children: ReactNode }) {
  return (
    <fieldset
      id={props.id}
      data-at={props.at}
      tabIndex={-1}
      className={`form-group ${props.className}`}
      aria-describedby={props.describedBy}
    >
      <legend className={props.isBare ? "hide" : "form-label"}>{props.label}</legend>
      {props.about}
      {props.children}
      {props.error}
    </fieldset>
  );
}

function YesNo({ field, ...parts }: FieldParts & { readonly field: FieldProps }) {
  return (
    <div className={`form-field ${parts.className}`} data-at={parts.at}>
      <label>
        <CheckBox
          id={field.id}
          disabled={field.isDisabled}
          checked={(field.value ?? field.schema.default) === true}
          aria-describedby={field.describedBy}
          aria-invalid={field.error === undefined ? undefined : true}
          onChange={({ target }) => field.onChange(target.checked)}
        />
        <span>{parts.label}</span>
      </label>
      {parts.about}
      {parts.error}
    </div>
  );
}
