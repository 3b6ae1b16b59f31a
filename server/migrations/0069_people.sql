-- Where and by what a session was begun, and when it was used last: its person recognises it by that, or ends it.
alter table sessions
  add column address      text not null default '',
  add column client       text not null default '',
  add column last_used_at timestamptz;
grant update (last_used_at) on sessions to millrace_system;

-- A passkey may come first: nobody knows yet who will answer the challenge.
alter table webauthn_challenges alter column user_id drop not null;
alter table webauthn_challenges drop constraint webauthn_challenges_purpose_check;
alter table webauthn_challenges add constraint webauthn_challenges_purpose_check
  check (purpose in ('register', 'assert', 'login') and (user_id is null) = (purpose = 'login'));

-- What the last try of a configuration came to, before it is enforced. `revision` is that of the configuration tried.
alter table sso_configurations
  add column test_started_by text collate "C",
  add column test jsonb;

-- Those who run the installation, apart from whoever owns a workspace. Nobody is one by default.
create table operators (
  user_id    text        collate "C" primary key references users (id) on delete cascade,
  granted_by text        not null,
  granted_at timestamptz not null
);
grant select, insert, delete on operators to millrace_app;
grant select, insert, delete on operators to millrace_system;
