import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay, useNames } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Field } from "../../ui/field.tsx";
import { Combobox, type ComboOption } from "../../ui/overlay/combobox.tsx";

/** The members of the workspace as options of a field. */
export function usePeopleOptions(): readonly ComboOption[] {
  const may = useMay();
  const people = useOp(
    "users.list",
    { query: { limit: 200 } },
    { enabled: may("users:read") },
  ).data;
  return (people?.data ?? [])
    .filter(({ status }) => status === "active")
    .map(({ id, name, email }) => ({ value: id, label: name, about: email }));
}

interface PeopleFieldProps {
  readonly label: string;
  readonly userIds: readonly string[];
  readonly onChange: (userIds: string[]) => void;
  /** Their order counts, and can be changed. */
  readonly isOrdered?: boolean;
  readonly help?: string;
  readonly error?: string | undefined;
}

/** People, one after the other. */
export function PeopleField(props: PeopleFieldProps) {
  const { label, userIds, onChange, isOrdered = false, help, error } = props;
  const nameOf = useNames();
  const options = usePeopleOptions().filter(({ value }) => !userIds.includes(value));
  const move = (n: number, by: number): void => {
    const [moved = ""] = userIds.slice(n, n + 1);
    onChange(userIds.toSpliced(n, 1).toSpliced(n + by, 0, moved));
  };
  return (
    <div className="members">
      <Field label={label} help={help} error={error}>
        {({ id }) => (
          <Combobox
            id={id}
            label={label}
            placeholder="Add somebody"
            options={options}
            value={undefined}
            onChange={(userId) => userId !== undefined && onChange([...userIds, userId])}
          />
        )}
      </Field>
      <ul>
        {userIds.map((userId, n) => {
          const name = nameOf(userId) ?? "Somebody who left";
          return (
            <li key={userId} className="row">
              <Avatar name={nameOf(userId)} />
              <span className="grow cut">{name}</span>
              {isOrdered && (
                <>
                  <button
                    type="button"
                    className="btn bare icon small"
                    aria-label={`${name} earlier`}
                    disabled={n === 0}
                    onClick={() => move(n, -1)}
                  >
                    <ArrowUp />
                  </button>
                  <button
                    type="button"
                    className="btn bare icon small"
                    aria-label={`${name} later`}
                    disabled={n === userIds.length - 1}
                    onClick={() => move(n, 1)}
                  >
                    <ArrowDown />
                  </button>
                </>
              )}
              <button
                type="button"
                className="btn bare icon small"
                aria-label={`Take ${name} out`}
                onClick={() => onChange(userIds.toSpliced(n, 1))}
              >
                <X />
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
