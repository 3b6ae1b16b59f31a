-- Arithmetic of formulas: a product or quotient that a number can't hold is nothing, and not an error
-- that would take the whole list with it.
create function formula_times(a float8, b float8) returns float8
  language sql immutable parallel safe as $$
  select case
    when a = 0 or b = 0 then 0
    when abs(a) between 1e-150 and 1e150 and abs(b) between 1e-150 and 1e150 then a * b
  end
$$;

create function formula_over(a float8, b float8) returns float8
  language sql immutable parallel safe as $$
  select case
    when b = 0 then null
    when a = 0 then 0
    when abs(a) between 1e-150 and 1e150 and abs(b) between 1e-150 and 1e150 then a / b
  end
$$;

-- Half to even, as expressions round.
create function formula_round(a float8, digits integer) returns float8
  language sql immutable parallel safe as $$
  select case
    when abs(a) >= 1e15 then a
    when abs(y - trunc(y)) = 0.5 then (2 * round(y / 2) / power(10::numeric, digits))::float8
    else (round(y) / power(10::numeric, digits))::float8
  end
  from (select a::numeric * power(10::numeric, digits) as y) as shifted
$$;
