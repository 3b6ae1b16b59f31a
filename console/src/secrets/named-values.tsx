/** Lists of secrets and variables, with the selected one in a side panel. */
import "./secrets.css";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { attempt, tellDone } from "../data/use-command.ts";
import { useListKeys } from "../shell/list-keys.ts";
import { ListPage } from "../shell/list/list-page.tsx";
import { CopyLine } from "../ui/copy-line.tsx";
import { type Column, Table } from "../ui/display/table.tsx";
import { ErrorNotice } from "../ui/feedback.tsx";
import { Facts } from "../ui/layout/layout.tsx";
import { Ago } from "../ui/time.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { EnvironmentValues, type OtherEnvironment } from "./environment-values.tsx";
import { type Referrer, UsedIn } from "./used-in.tsx";
import { Button } from "../ui/form/button.tsx";

/** The maximum number of displayed entries. */
export const SHOWN = 200;

interface NamedValue {
  readonly name: string;
  readonly description: string;
  readonly updatedAt: string;
  readonly ownValuesOnly: boolean;
}

interface Listed<T> {
  readonly data:
    | { readonly data: readonly T[]; readonly pagination: { readonly nextCursor: string | null } }
    | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly refetch: () => Promise<unknown>;
}

interface NamedValuesProps<T> {
  readonly title: string;
  readonly about: string;
  readonly one: string;
  readonly listed: Listed<T>;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (value: T) => string;
  readonly open: string | undefined;
  readonly onOpen: (key: string | undefined) => void;
  /** The reason why the list is read-only; undefined if it is editable. */
  readonly reason: string | undefined;
  readonly empty: string;
  readonly side: (value: T) => ReactNode;
  readonly create: (onClose: () => void) => ReactNode;
}

/** A list with the open entry in a side panel, and an action to create one. */
export function NamedValues<T>(props: NamedValuesProps<T>) {
  const { title, about, one, listed, columns, keyOf, open, onOpen, reason, empty } = props;
  const [isNew, setNew] = useState(false);
  const values = listed.data?.data ?? [];
  useListKeys({ ids: values.map(keyOf), chosen: open, onChoose: onOpen });
  const chosen = values.find((value) => keyOf(value) === open);
  return (
    <>
      <ListPage
        title={title}
        about={about}
        thing={one}
        read={listed}
        shown={values.length}
        create={{ label: `New ${one}`, run: () => setNew(true), refusal: reason }}
        empty={empty}
      >
        <div className="secret-split">
          <div className="secret-list">
            <Table
              label={title}
              columns={columns}
              rows={values}
              keyOf={keyOf}
              chosen={open}
              onOpen={(value) => onOpen(keyOf(value) === open ? undefined : keyOf(value))}
            />
          </div>
          {chosen !== undefined && props.side(chosen)}
        </div>
      </ListPage>
      {isNew && props.create(() => setNew(false))}
    </>
  );
}

interface NamedValueSideProps {
  readonly value: NamedValue;
  /** The environments with their own value. */
  readonly own: readonly string[];
  readonly reason: string | undefined;
  readonly shownIn: (environment: "production" | OtherEnvironment) => ReactNode;
  /** The expression that refers to it. */
  readonly reference: string;
  readonly usage: {
    readonly usedIn: readonly Referrer[] | undefined;
    readonly error: Error | null;
  };
  /** The time of the last use; undefined if it is not recorded. */
  readonly usedAt?: string | null | undefined;
  readonly unused: string;
  readonly operations: {
    readonly remove: () => Promise<unknown>;
    readonly removeFrom: (environment: OtherEnvironment) => Promise<unknown>;
    readonly keep: (ownValuesOnly: boolean) => Promise<unknown>;
  };
  /** Sets the value for production or another environment. */
  readonly dialog: (environment: OtherEnvironment | undefined, onClose: () => void) => ReactNode;
  readonly onClose: () => void;
}

/** The details of an entry: values, references and actions. */
export function NamedValueSide(props: NamedValueSideProps) {
  const { value, own, reason, reference, usage, usedAt, operations, onClose } = props;
  const { name, description, updatedAt, ownValuesOnly } = value;
  const [asked, setAsked] = useState<"production" | "delete" | OtherEnvironment>();
  const close = (): void => setAsked(undefined);
  const change = (send: () => Promise<unknown>, said: string) =>
    attempt(async () => {
      await send();
      tellDone(said);
      return true;
    });
  const remove = async (): Promise<void> => {
    close();
    if (await change(operations.remove, `${name} deleted.`)) onClose();
  };
  return (
    <aside className="secret-side scroll" aria-label={name}>
      <header className="row">
        <h2 className="grow mono cut">{name}</h2>
        <Button look="bare" isIcon aria-label="Close details" onClick={onClose}>
          <X />
        </Button>
      </header>
      {description !== "" && <p>{description}</p>}
      <Facts
        facts={[
          ["Updated", <Ago key="changed" at={updatedAt} />],
          ...(usedAt === undefined
            ? []
            : [["Last used", usedAt === null ? "never" : <Ago key="used" at={usedAt} />] as const]),
        ]}
      />
      <EnvironmentValues
        name={name}
        own={own}
        ownValuesOnly={ownValuesOnly}
        shownIn={props.shownIn}
        reason={reason}
        onSet={(environment) => setAsked(environment ?? "production")}
        onRemove={(environment) =>
          void change(
            () => operations.removeFrom(environment),
            `Value of ${name} in ${environment} removed.`,
          )
        }
        onKeep={(isKept) =>
          void change(
            () => operations.keep(isKept),
            isKept
              ? `${name} is now only available in production.`
              : `Other environments now use the production value of ${name}.`,
          )
        }
      />
      <CopyLine label="Expression" text={reference} />
      <section aria-label="Usage" className="section">
        <h3 className="secret-used">Usage</h3>
        {usage.error && <ErrorNotice error={usage.error} />}
        {usage.usedIn && <UsedIn usedIn={usage.usedIn} />}
      </section>
      <div className="row">
        <Button refusal={reason} onClick={() => setAsked("delete")}>
          Delete
        </Button>
      </div>
      {asked !== undefined &&
        asked !== "delete" &&
        props.dialog(asked === "production" ? undefined : asked, close)}
      {asked === "delete" && (
        <DeleteDialog
          name={name}
          usedIn={usage.usedIn}
          unused={props.unused}
          onAct={() => void remove()}
          onClose={close}
        />
      )}
    </aside>
  );
}
