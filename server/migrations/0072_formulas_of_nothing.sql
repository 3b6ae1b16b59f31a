-- Zero times nothing is nothing, and so is zero by nothing.
create or replace function formula_times(a float8, b float8) returns float8
  language sql immutable parallel safe as $$
  select case
    when a is null or b is null then null
    when a = 0 or b = 0 then 0
    when abs(a) between 1e-150 and 1e150 and abs(b) between 1e-150 and 1e150 then a * b
  end
$$;

create or replace function formula_over(a float8, b float8) returns float8
  language sql immutable parallel safe as $$
  select case
    when a is null or b is null or b = 0 then null
    when a = 0 then 0
    when abs(a) between 1e-150 and 1e150 and abs(b) between 1e-150 and 1e150 then a / b
  end
$$;
