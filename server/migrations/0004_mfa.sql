-- Second factors belong to a person, whatever the workspaces; like `users` and `sessions`, these
-- tables stand above the workspaces and carry no row-level security.

-- At most one TOTP secret each, sealed under the home workspace's data key; pending until a code of it
-- was shown. `last_step` is the newest time step whose code was used: none up to it works again.
create table mfa_totp (
  user_id     text        collate "C" primary key references users (id) on delete cascade,
  secret      bytea       not null,
  last_step   bigint      not null default 0,
  created_at  timestamptz not null,
  enrolled_at timestamptz
);

-- Keyed hashes of the codes that are left; a used one is deleted.
create table mfa_recovery_codes (
  user_id   text  collate "C" not null references users (id) on delete cascade,
  code_hash bytea not null,
  primary key (user_id, code_hash)
);

create table webauthn_credentials (
  id            text        collate "C" primary key,
  user_id       text        collate "C" not null references users (id) on delete cascade,
  credential_id text        collate "C" not null
                            constraint webauthn_credentials_credential unique,
  public_key    bytea       not null,
  -- Grows with every use, where the authenticator counts at all: a copy of it would give itself away.
  counter       bigint      not null,
  transports    text[]      not null,
  name          text        not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);
create index webauthn_credentials_user on webauthn_credentials (user_id, id);

-- Hashes of the challenges that may still be answered; an answered one is deleted.
create table webauthn_challenges (
  challenge_hash bytea       primary key,
  user_id        text        collate "C" not null references users (id) on delete cascade,
  purpose        text        not null check (purpose in ('register', 'assert')),
  expires_at     timestamptz not null
);
create index webauthn_challenges_user on webauthn_challenges (user_id);
create index webauthn_challenges_expiry on webauthn_challenges (expires_at);

grant select, insert, update, delete
   on mfa_totp, mfa_recovery_codes, webauthn_credentials, webauthn_challenges to millrace_app;
grant select
   on mfa_totp, mfa_recovery_codes, webauthn_credentials, webauthn_challenges to millrace_system;
