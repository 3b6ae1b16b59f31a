import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useNames } from "../../data/names/names.ts";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { Field } from "../../ui/field.tsx";
import { Button } from "../../ui/form/button.tsx";

interface PeopleFieldProps {
  readonly label: string;
  readonly userIds: readonly string[];
  readonly onChange: (userIds: string[]) => void;
  /** The order is significant and can be changed. */
  readonly isOrdered?: boolean;
  readonly help?: string;
  readonly error?: string | undefined;
}

export function PeopleField(props: PeopleFieldProps) {
  const { label, userIds, onChange, isOrdered = false, help, error } = props;
  const nameOf = useNames();
  const move = (n: number, by: number): void => {
    const [moved = ""] = userIds.slice(n, n + 1);
    onChange(userIds.toSpliced(n, 1).toSpliced(n + by, 0, moved));
  };
  return (
    <div className="members">
      <Field label={label} help={help} error={error}>
        {({ id }) => (
          <PersonCombobox
            id={id}
            label={label}
            placeholder="Add person"
            without={userIds}
            value={undefined}
            onChange={(userId) => userId !== undefined && onChange([...userIds, userId])}
          />
        )}
      </Field>
      <ul>
        {userIds.map((userId, n) => {
          const name = nameOf(userId) ?? "Former member";
          return (
            <li key={userId} className="row">
              <Avatar name={nameOf(userId)} />
              <span className="grow cut">{name}</span>
              {isOrdered && (
                <>
                  <Button
                    look="bare"
                    isIcon
                    isSmall
                    type="button"
                    aria-label={`Move ${name} up`}
                    disabled={n === 0}
                    onClick={() => move(n, -1)}
                  >
                    <ArrowUp />
                  </Button>
                  <Button
                    look="bare"
                    isIcon
                    isSmall
                    type="button"
                    aria-label={`Move ${name} down`}
                    disabled={n === userIds.length - 1}
                    onClick={() => move(n, 1)}
                  >
                    <ArrowDown />
                  </Button>
                </>
              )}
              <Button
                look="bare"
                isIcon
                isSmall
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => onChange(userIds.toSpliced(n, 1))}
              >
                <X />
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
