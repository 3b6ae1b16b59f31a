import { lazy, Suspense } from "react";
import { describeRoles, type Me } from "../../data/people.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Popover } from "./popover.tsx";

const Entries = lazy(async () => ({
  default: (await import("./account-entries.tsx")).AccountEntries,
}));

/** The menu of the current user: account, appearance and sign-out. */
export function AccountMenu({ me, above }: { readonly me: Me | undefined; readonly above?: true }) {
  const name = me?.user.name;
  return (
    <Popover
      label={name === undefined ? "Your account" : `Your account, ${name}`}
      className={above ? "nav-account" : "account-button"}
      align={above ? "start" : "end"}
      above={above === true}
      isNamedByContent
      trigger={
        <>
          <Avatar name={name ?? "?"} big />
          {above && (
            <span className="stack grow nav-label">
              <span className="cut">{name}</span>
              <span className="muted cut nav-role">{me && describeRoles(me)}</span>
            </span>
          )}
        </>
      }
    >
      {(close) => (
        <Suspense>
          <Entries me={me} onClose={close} />
        </Suspense>
      )}
    </Popover>
  );
}
