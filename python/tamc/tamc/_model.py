# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The estimator."""

from __future__ import annotations

import inspect
import json
import os
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from . import _cache, _display, _engine, _errors, _frames, _rows, _saved
from ._errors import Error
from ._version import __version__

#: The column of `sample_weight` in a model without one of weights.
_WEIGHTS = "sample_weight"


class _Fit(NamedTuple):
    """What a fit leaves besides its public attributes."""

    spec: _cache.Spec
    compiled: _cache.Compiled
    model: Any
    #: The kind of the data, by `_frames.kind_of`.
    kind: str


class AdditiveModel:
    """An additive model of a formula.

    Parameters
    ----------
    formula : str
        Target and terms, such as ``"load ~ s(temperature, k=20) + c(weekday)"``.
        The levels of a term ``c`` without ``n_cat`` are those of the data.
    group : str, optional
        A column; each of its values gets a model of its own.
    date : str, optional
        The column that orders the rows of a group.
    weights : str, optional
        A column of row weights.
    solver : {"auto", "direct", "cg"}
    ap : dict, optional
        Other penalties than the formula's: ``{"temperature": -2}``.
    drop_missing : bool
        Drop rows with a missing value instead of raising an error. The
        predictions of such rows are NaN.
    threads : int, optional
        Threads of a fit and a prediction; as many as the machine has if None.
    memory : int or str, optional
        Most bytes that count as free, such as 2**30 or ``"1.5G"``; all that are
        free if None. With fewer a run takes fewer threads and smaller chunks;
        it is an error if none of them fits.
    verbose : bool, optional
        Show the progress of long runs on stderr. None: on a terminal and in a
        notebook.

    Attributes
    ----------
    coefficients_ : frame
        Group, effect, index and value of each coefficient.
    notes_ : list of str
        What the fit noted: rows that were dropped, values out of order.
    adapt_notes_ : list of str
        What the last `adapt` noted: groups without a forecast, equal dates.
    tuning_ : dict
        After `tune`: what it chose, as the command ``tune --format=json`` prints
        it.
    ap_ : dict or None
        After `tune`: the penalties that it chose, as `ap` takes them; None if
        each group has its own.
    n_features_in_, feature_names_in_
        Columns of the data of the fit.
    """

    def __init__(self, formula: str, *, group: str | None = None,
                 date: str | None = None, weights: str | None = None,
                 solver: str = "auto", ap: Mapping[str, float] | None = None,
                 drop_missing: bool = False, threads: int | None = None,
                 memory: int | str | None = None,
                 verbose: bool | None = None) -> None:
        self.formula = formula
        self.group = group
        self.date = date
        self.weights = weights
        self.solver = solver
        self.ap = ap
        self.drop_missing = drop_missing
        self.threads = threads
        self.memory = memory
        self.verbose = verbose

    # Parameters

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters
                if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **parameters: Any) -> "AdditiveModel":
        """Sets some of the constructor's arguments."""
        for name, value in parameters.items():
            if name not in self._names():
                raise ValueError(f"expected one of {self._names()}, got "
                                 f"'{name}'")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        shown = [repr(self.formula)]
        shown += [f"{name}={getattr(self, name)!r}" for name in self._names()
                  if name != "formula"
                  and getattr(self, name) != signature[name].default]
        return f"AdditiveModel({', '.join(shown)})"

    # Compilation

    def _spec(self, weights: str | None = None,
              **more: Mapping[str, Any]) -> _cache.Spec:
        """The spec of the formula, with `more` keys that a formula alone does
        not have."""
        for name in ("formula", "solver"):
            if not isinstance(getattr(self, name), str):
                raise Error(f"expected text as {name}, got "
                            f"'{type(getattr(self, name)).__name__}'")
        keys = {"solver": self.solver, "name": "model"}
        for name in ("group", "date", "weights"):
            value = getattr(self, name)
            if value is not None:
                keys[name] = str(value)
        if weights is not None:
            keys["weights"] = weights
        if not more:
            return _cache.Spec(self.formula, keys=keys)
        return _cache.Spec(_rows.yaml_of(self.formula, more), is_formula=False,
                           keys=keys)

    def _options(self) -> list[str]:
        options = []
        if self.drop_missing:
            options.append("--drop-missing")
        if self.threads is not None:
            options.append(f"--threads={int(self.threads)}")
        if self.memory is not None:
            memory = (self.memory if isinstance(self.memory, str)
                      else int(self.memory))
            options.append(f"--memory={memory}")
        return options

    def _penalties(self) -> list[str]:
        return [f"--ap={name}={_rows.plain(value)!r}"
                for name, value in (self.ap or {}).items()]

    # Fit and prediction

    def fit(self, data: Any, y: Any = None, sample_weight: Any = None, *,
            inference: bool = False,
            calibrate: float | str | None = None) -> "AdditiveModel":
        """Fits the model to the rows of `data`.

        `data` is a dict of arrays, a frame of pandas, polars or pyarrow, an
        object with the Arrow PyCapsule interface, or an array of two
        dimensions, whose columns are called x0, x1 and so on; or the path of a
        file of Parquet, Arrow or Feather, which pyarrow reads. `y` is the
        target, and `sample_weight` the row weights, if they are not columns of
        `data`.

        With `inference` the model has standard errors, gaussian intervals and a
        summary. `calibrate` holds rows out of the fit for conformal intervals:
        a share of the last rows of each group, rows from a date on, or
        ``"column=value"``.
        """
        self._fit("fit", data, y, sample_weight,
                  self._penalties() + _parts(inference, calibrate), calibrate)
        return self

    def tune(self, data: Any, y: Any = None, sample_weight: Any = None, *,
             criterion: str = "gcv", per_group: bool = False,
             bounds: tuple[float, float] | None = None,
             candidates: Sequence[float] | None = None,
             gamma: float | None = None, cycles: int | None = None,
             inference: bool = False,
             calibrate: float | str | None = None,
             grid: Mapping[str, Sequence[Any]] | None = None,
             split: float | str | None = None) -> "AdditiveModel":
        """Fits with penalties that the rows choose, from the formula's on; or
        with `grid`, with values of the formula's tokens.

        Parameters
        ----------
        data, y, sample_weight, inference, calibrate
            As for `fit`.
        criterion : {"gcv", "reml"}
            What the penalties minimise: generalised cross-validation, or
            restricted maximum likelihood.
        per_group : bool
            Penalties for each group, not for all in common.
        bounds : (low, high), optional
            Least and greatest ap, -30 and 6 if None.
        candidates, gamma, cycles
            For gcv: the aps to try, how much an effective degree of freedom
            counts, and most cycles over all penalties.
        grid : dict, optional
            The values to try for each token of the formula, such as k=$k:
            ``{"k": [10, 20]}``. Those are chosen with which a fit to the other
            rows predicts held-out rows best.
        split : float or str, optional
            The rows that `grid` holds out: a share of the last rows of each
            group, rows from a date on, or ``"column=value"``.

        `tuning_` then has the score, the penalties and the formula with them,
        and `ap_` the penalties, unless each group has its own. The parameter
        `ap` stays as it is: ``set_params(ap=model.ap_)`` makes later fits use
        them. After a search of a `grid` the model is that of the formula in
        `tuning_`, and `ap_` is None.
        """
        options = [f"--criterion={criterion}", "--format=json"]
        if per_group:
            options.append("--per-group")
        if bounds is not None:
            options.append(f"--bounds={_list(bounds)}")
        if candidates is not None:
            options.append(f"--candidates={_list(candidates)}")
        if gamma is not None:
            options.append(f"--gamma={float(gamma)!r}")
        if cycles is not None:
            options.append(f"--cycles={int(cycles)}")
        options += _parts(inference, calibrate)
        if split is not None:
            options.append(f"--split={split}")
        if grid is not None:
            printed = self._fit_grid(
                data, y, sample_weight, options,
                {name: list(values) for name, values in grid.items()}, split)
        else:
            printed = self._fit("tune", data, y, sample_weight, options,
                                calibrate)
        self._set_tuning(json.loads(printed))
        return self

    def _set_tuning(self, tuning: dict[str, Any] | None) -> None:
        for name in ("tuning_", "ap_"):
            if hasattr(self, name):
                delattr(self, name)
        if tuning is None:
            return
        self.tuning_ = tuning
        # Values of tokens are chosen by tune --grid, penalties by tune.
        self.ap_: dict[str, float] | None = {
            each["effect"]: each["ap"] for each in tuning["coordinates"]
        } if "coordinates" in tuning else None

    def _read(self, data: Any, y: Any, sample_weight: Any, columns: set[str],
              **more: Mapping[str, Any]
              ) -> tuple[_cache.Spec, _cache.Compiled, "_engine.Frame"]:
        """The spec, with `more` keys, for the levels of the rows of `data`, its
        code, and the rows, with `columns` besides those of the model."""
        weights = self.weights
        if sample_weight is not None:
            weights = weights or _WEIGHTS
        return _rows.of_spec(self._spec(weights, **more), self.formula, data, y,
                             sample_weight, columns)

    def _fit(self, command: str, data: Any, y: Any, sample_weight: Any,
             options: list[str], split: float | str | None) -> str:
        data = _frames.opened(data)
        spec, compiled, frame = self._read(data, y, sample_weight,
                                           _column_in(split))
        try:
            fitted, notes, printed = _engine.Fitted.fit(
                compiled.code, frame, command, self._options() + options,
                _display.progress_on(self.verbose))
        except ValueError as error:
            raise Error(str(error)) from None
        self._set_fit(_Fit(spec, compiled, fitted, _frames.kind_of(data)),
                      _errors.tell(notes), _frames.columns_of(data))
        return printed

    def _fit_grid(self, data: Any, y: Any, sample_weight: Any,
                  options: list[str], grid: dict[str, list[Any]],
                  split: float | str | None) -> str:
        data = _frames.opened(data)
        spec, compiled, frame = self._read(data, y, sample_weight,
                                           _column_in(split), grid=grid)
        import tempfile

        with tempfile.TemporaryDirectory(prefix="tamc-") as folder:
            path = os.path.join(folder, "weights")
            printed, notes = self._run_line(
                compiled, frame, ["tune", "data", "--grid", "-o", path]
                + self._options() + options)
            with open(path, "rb") as file:
                weights = file.read()
        # The weights are those of the formula with the values.
        spec = _cache.Spec(json.loads(printed)["formula"], keys=spec.keys,
                           profile=spec.profile)
        compiled = _cache.compiled_of(spec)
        try:
            fitted = _engine.Fitted.load(compiled.code, weights, "model")
        except ValueError as error:
            raise Error(str(error)) from None
        self._set_fit(_Fit(spec, compiled, fitted, _frames.kind_of(data)),
                      _errors.tell(notes), _frames.columns_of(data))
        return printed

    def _run_line(self, compiled: _cache.Compiled, frame: "_engine.Frame",
                  arguments: list[str]) -> tuple[str, list[tuple[str, str]]]:
        """Runs a command line on the rows of a frame."""
        try:
            return compiled.code.run(frame, arguments,
                                     _display.progress_on(self.verbose))
        except ValueError as error:
            raise Error(str(error)) from None

    def _set_fit(self, fit: _Fit, notes: list[str], names: list[str]) -> None:
        self._fit_ = fit
        self.notes_ = notes
        self._set_features(names)
        self._set_tuning(None)

    def _set_features(self, names: list[str]) -> None:
        self.n_features_in_ = len(names)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if self._fit_.kind != "numpy":
            self.feature_names_in_: np.ndarray = np.asarray(names, dtype=object)

    def _features(self) -> list[str]:
        return [str(name) for name in getattr(
            self, "feature_names_in_",
            [f"x{i}" for i in range(self.n_features_in_)])]

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(estimator_type="regressor",
                    target_tags=TargetTags(required=True),
                    regressor_tags=RegressorTags(poor_score=True),
                    input_tags=InputTags(string=True, categorical=True))

    def _check_fitted(self) -> None:
        if not hasattr(self, "_fit_"):
            raise _not_fitted()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fit_")

    def _check_features(self, data: Any) -> None:
        if _frames.kind_of(data) != "numpy":
            return
        count = _frames.matrix_of(data).shape[1]
        if count != self.n_features_in_:
            raise Error(f"X has {count} features, but AdditiveModel is "
                        f"expecting {self.n_features_in_} features as input")

    @property
    def _about(self) -> dict[str, Any]:
        return self._fit_.compiled.about

    def _run(self, data: Any, command: str, options: Sequence[str] = (),
             weighted: bool = False) -> tuple[list[str], np.ndarray]:
        """A prediction, for which row weights are read if it is `weighted`."""
        self._check_fitted()
        self._check_features(data)
        frame = _frames.read(data, _rows.needed_by(self._about, fit=False,
                                                   weighted=weighted))
        try:
            names, numbers, notes = self._fit_.model.predict(
                frame, command, self._options() + list(options),
                _display.progress_on(self.verbose))
        except ValueError as error:
            raise Error(str(error)) from None
        _errors.tell(notes)
        _errors.tell_rows(notes, self.drop_missing)
        return names, numbers

    def predict(self, data: Any, *, se: bool = False,
                interval: float | Sequence[float] | None = None,
                method: str = "gaussian") -> Any:
        """The predictions of rows: an array; a series for pandas and polars.
        `data` is as for `fit`. Rows unlike those of the fit, beyond its range
        or with other levels, are counted in a `DataWarning`.

        With `se`, standard errors, or `interval`, one or several levels such as
        0.9, the result is a frame of the kind of `data`, whose columns have the
        names of the command ``predict``. `method` says what intervals come
        from: gaussian, conformal or conformal-signed. The fit must have had
        `inference`, or `calibrate` for conformal ones. Gaussian ones are those
        of the weights of the rows, if `data` has the column of row weights;
        else those of weight 1, with a `DataWarning`.
        """
        data = _frames.opened(data)
        options = _intervals(interval, method)
        if se:
            options.append("--se")
        names, numbers = self._run(
            data, "predict", options,
            weighted=interval is not None and method == "gaussian")
        if options:
            return self._frame(data, names, numbers)
        return _frames.series_like(_frames.kind_of(data),
                                   numbers.reshape(-1), "prediction", data)

    def decompose(self, data: Any, *, se: bool = False) -> Any:
        """The effects of rows, which add up to the predictions: a frame of the
        kind of `data` with a column for each effect. With `se` the effects are
        centred, and their standard errors are more columns."""
        data = _frames.opened(data)
        names, numbers = self._run(data, "decompose", ["--se"] if se else [])
        return self._frame(data, names, numbers)

    @staticmethod
    def _frame(data: Any, names: list[str], numbers: np.ndarray) -> Any:
        columns = {name: np.ascontiguousarray(numbers[:, i])
                   for i, name in enumerate(names)}
        return _frames.frame_like(_frames.kind_of(data), columns, data)

    @property
    def coefficients_(self) -> Any:
        """Group, effect, index and value of each coefficient, in a frame of the
        kind of the training data."""
        if not hasattr(self, "_fit_"):
            raise AttributeError("coefficients_: the model is not fitted yet")
        groups = self._fit_.model.groups()
        values = self._fit_.model.coefficients()
        effects, index = _coefficients_of(self._about["effects"])
        columns: dict[str, Any] = {}
        if self._about["group"] is not None:
            columns["group"] = np.repeat(np.asarray(groups, dtype=object),
                                         len(effects))
        columns["effect"] = np.asarray(effects * len(groups), dtype=object)
        columns["index"] = np.asarray(index * len(groups), dtype=np.int64)
        columns["value"] = np.array(values, dtype=np.float64).reshape(-1)
        return _frames.frame_like(self._fit_.kind, columns)

    # Sliding windows

    def adapt(self, data: Any, y: Any = None, sample_weight: Any = None, *,
              window: int, update: int = 1, horizon: int = 1,
              formula: str | None = None, forget: float | None = None,
              windows: int | None = None, coefficients: bool = False) -> Any:
        """Fits the formula in windows that slide over the rows of each group,
        by date, and predicts the rows after each: the command ``adapt``. This
        is no fit of the model itself, which stays as it was.

        Parameters
        ----------
        data, y, sample_weight
            As for `fit`. The target may be missing in rows that no window
            trains on, such as those that are to be predicted.
        window, update, horizon : int
            Rows that a window trains on; rows that it predicts, by which the
            windows move; and the first row that it predicts, counted from its
            last row.
        formula : str, optional
            A formula of the residuals of this model, which must be fitted:
            ``"residual ~ l(effect_temperature) + c(weekday)"``. The windows
            then correct its predictions. Without, the windows fit the model's
            formula, with the penalties `ap`.
        forget : float, optional
            Factor of a row's weight for each later row of its window.
        windows : int, optional
            Most windows that are fitted at once, to save memory.
        coefficients : bool
            Return a frame of the windows' coefficients, too: group, row (the
            first row of `data` that the window predicts, counted from 0),
            window (its number in the group), effect, index and value.

        The predictions are as those of `predict`, and NaN in rows before a
        group's first forecast. With `formula` they are a frame with the columns
        prediction, base, which the model predicts, and correction.
        """
        options = [f"--window={window}", f"--update={update}",
                   f"--horizon={horizon}"]
        if forget is not None:
            options.append(f"--forget={float(forget)!r}")
        if windows is not None:
            options.append(f"--windows={windows}")
        return self._adapt(_frames.opened(data), y, sample_weight, formula,
                           options, coefficients)

    def _adapt(self, data: Any, y: Any, sample_weight: Any, formula: str | None,
               options: list[str], coefficients: bool) -> Any:
        if self.drop_missing:
            raise Error("expected drop_missing=False with adapt: a window has "
                        "a fixed number of rows")
        options = self._options() + options
        # The options replace these numbers, so that one compilation serves all.
        settings: dict[str, Any] = dict.fromkeys(
            ("window", "update", "horizon"), 1)
        if formula is None:
            _, compiled, frame = self._read(data, y, sample_weight, set(),
                                            adapt=settings)
            options += self._penalties()
        else:
            self._check_fitted()
            self._check_features(data)
            compiled, frame = _rows.of_correction(
                self._fit_.spec, dict(settings, formula=formula), data, y,
                sample_weight)
        try:
            base = None if formula is None else _engine.Fitted.load(
                compiled.code, self._fit_.model.bytes(), "model")
            names, numbers, found, notes = compiled.code.adapt(
                base, frame, coefficients, options,
                _display.progress_on(self.verbose))
        except ValueError as error:
            raise Error(str(error)) from None
        self.adapt_notes_: list[str] = _errors.tell(notes)
        result = (_frames.series_like(_frames.kind_of(data),
                                      numbers.reshape(-1), "prediction", data)
                  if formula is None else self._frame(data, names, numbers))
        if not coefficients:
            return result
        return result, _window_coefficients(compiled.about, found,
                                            _frames.kind_of(data))

    # Commands that print

    def _print(self, command: str, data: Any, y: Any, options: list[str],
               columns: set[str]) -> str:
        self._check_fitted()
        frame = None
        if data is not None:
            data = _frames.opened(data)
            more = {} if y is None else {
                self._about["target"]: _rows.column_of(y)}
            frame = _frames.read(
                data, _rows.needed_by(self._about, fit=True) | columns, more)
            options = self._options() + options
        try:
            printed, notes = self._fit_.model.run(
                frame, command, options, _display.progress_on(self.verbose))
        except ValueError as error:
            raise Error(str(error)) from None
        _errors.tell(notes)
        if data is not None:
            _errors.tell_rows(notes, self.drop_missing)
        return printed

    def plan(self) -> _display.Text:
        """The memory plan of a model that is fitted."""
        self._check_fitted()
        return _display.Text(self._fit_.compiled.code.plan())

    def summary(self, *, draw: bool = False,
                group: str | None = None) -> _display.Text:
        """Statistics of the groups and effects of a fit with `inference`, as
        the command ``summary`` prints them. `draw` adds the effects of a group,
        the first if `group` is None, drawn with characters."""
        options = ["--draw"] if draw else []
        if group is not None:
            options.append(f"--group={group}")
        return _display.Text(self._print("summary", None, None, options, set()))

    def statistics(self) -> dict[str, Any]:
        """The same as numbers: what ``summary --format=json`` prints."""
        return json.loads(self._print("summary", None, None,
                                      ["--format=json"], set()))

    def evaluate(self, data: Any, y: Any = None, *, by: str | None = None,
                 interval: float | Sequence[float] | None = None,
                 method: str = "gaussian") -> dict[str, Any]:
        """How far predictions are from the target, in all, by group, and by
        the values of a column or by year, month, hour or weekday: what
        ``evaluate --format=json`` prints."""
        options = ["--format=json"] + _intervals(interval, method)
        if by is not None:
            options.append(f"--by={by}")
        return json.loads(self._print("evaluate", data, y, options,
                                      set() if by is None else {by}))

    def plot(self, path: str | os.PathLike[str] | None = None,
             data: Any = None, y: Any = None, *,
             svg: str | os.PathLike[str] | None = None) -> _display.Page | None:
        """Draws the effects, and the residuals of `data`, on a page.

        `path` is the page to write; `svg` a folder for a picture of each effect
        and group. Without both the page is returned, which a notebook shows.
        """
        options = []
        if path is not None:
            options.append(f"--output={os.fspath(path)}")
        if svg is not None:
            options.append(f"--svg={os.fspath(svg)}")
        printed = self._print("plot", data, y, options or ["--output=-"], set())
        return None if options else _display.Page(printed)

    def export(self) -> dict[str, Any]:
        """A description of the fitted model that suffices to predict: what
        ``export`` writes."""
        return json.loads(self._print("export", None, None, [], set()))

    def _repr_html_(self) -> str:
        rows = [(name, value) for name, value in self.get_params().items()
                if name != "formula" and value is not None]
        if hasattr(self, "_fit_"):
            effects = [name for name, *_ in self._about["effects"]]
            rows += [("fitted groups", len(self._fit_.model.groups())),
                     ("effects", ", ".join(effects)),
                     ("coefficients of a group",
                      sum(count for *_, count in self._about["effects"]))]
            rows += [("note", note) for note in self.notes_]
        else:
            rows.append(("fitted", "no"))
        return _display.table(str(self.formula), rows)

    def score(self, data: Any, y: Any = None,
              sample_weight: Any = None) -> float:
        """The coefficient of determination, R^2. With ``drop_missing`` it is
        that of the rows that have a prediction and a target. Without
        `sample_weight` all rows count alike, also if the model has
        weights."""
        data = _frames.opened(data)
        if y is None:
            y = _frames.column_of(data, self._about["target"])
        y = _frames.numbers_of(_rows.column_of(y))
        predicted = self._run(data, "predict")[1].reshape(-1)
        weights = (np.ones(len(predicted)) if sample_weight is None
                   else _frames.numbers_of(sample_weight))
        # NumPy would repeat a column of other dimensions.
        for name, values in (("y", y), ("sample_weight", weights)):
            if values.shape != predicted.shape:
                raise Error(f"data: expected a '{name}' of {len(predicted)} "
                            f"rows, got the shape {values.shape}")
        if self.drop_missing:
            known = np.isfinite(y) & np.isfinite(predicted)
            y, predicted, weights = y[known], predicted[known], weights[known]
        residual = np.sum(weights * (y - predicted) ** 2)
        mean = np.sum(weights * y) / np.sum(weights)
        return float(1 - residual / np.sum(weights * (y - mean) ** 2))

    # Files

    def _bytes(self) -> bytes:
        self._check_fitted()
        spec = self._fit_.spec
        header = {
            "tamc_version": __version__, "machine": _cache.machine(),
            "spec": {"text": spec.text, "is_formula": spec.is_formula,
                     "keys": dict(spec.keys), "profile": spec.profile},
            "parameters": self.get_params(), "kind": self._fit_.kind,
            "features": self._features(),
            "notes": self.notes_, "tuning": getattr(self, "tuning_", None)}
        return _saved.pack(header, {"weights": self._fit_.model.bytes(),
                                    "code": self._fit_.compiled.library})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted model to a file: spec, weights and compiled code.
        The file appears whole or not at all."""
        import secrets

        content = self._bytes()
        path = os.fspath(path)
        # Made with the rights that any new file gets.
        temporary = f"{path}.{secrets.token_hex(8)}.tmp"
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def _restore(self, content: bytes, name: str) -> None:
        header, parts = _saved.unpack(content, name)
        spec = _cache.Spec(**header["spec"])
        library = parts["code"]
        if (header["tamc_version"] != __version__
                or header["machine"] != _cache.machine()):
            library = _cache.library_of(spec)
        code = _engine.Code.parse(library)
        try:
            fitted = _engine.Fitted.load(code, parts["weights"], name)
        except ValueError as error:
            raise Error(str(error)) from None
        self._fit_ = _Fit(spec, _cache.Compiled(library, code, code.describe()),
                          fitted, header["kind"])
        self.notes_ = header["notes"]
        self._set_tuning(header["tuning"])
        self._set_features(header["features"])

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"parameters": self.get_params()}
        if hasattr(self, "_fit_"):
            state["model"] = self._bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state["parameters"].items():
            setattr(self, name, value)
        if "model" in state:
            self._restore(state["model"], "pickle")


def load(path: str | os.PathLike[str]) -> AdditiveModel:
    """Reads a model that `AdditiveModel.save` wrote. A file that was changed is
    an error."""
    name = os.fspath(path)
    with open(name, "rb") as file:
        content = file.read()
    header, _ = _saved.unpack(content, name)
    model = AdditiveModel(**header["parameters"])
    model._restore(content, name)
    return model


def release_memory() -> None:
    """Gives memory back that runs keep for the next one: up to 64 MiB, of what
    the last run used."""
    _engine.release_memory()


def _coefficients_of(effects: Sequence[Sequence[Any]]
                     ) -> tuple[list[str], list[int]]:
    """The effect of each coefficient of a group, and its index in it."""
    names: list[str] = []
    index: list[int] = []
    for name, _, _, count in effects:
        names += [name] * count
        index += range(count)
    return names, index


def _window_coefficients(about: dict[str, Any], found: Any, kind: str) -> Any:
    """A frame of the coefficients of windows."""
    groups, group, row, number, values = found
    effects, index = _coefficients_of(about["window_effects"])
    count, width = values.shape
    columns: dict[str, Any] = {}
    if about["group"] is not None:
        columns["group"] = np.asarray(groups, dtype=object)[group].repeat(width)
    columns["row"] = row.repeat(width)
    columns["window"] = number.repeat(width)
    columns["effect"] = np.tile(np.asarray(effects, dtype=object), count)
    columns["index"] = np.tile(np.asarray(index, dtype=np.int64), count)
    columns["value"] = values.reshape(-1)
    return _frames.frame_like(kind, columns)


def _parts(inference: bool, calibrate: float | str | None) -> list[str]:
    """Options for the parts of weights that not all have."""
    options = ["--inference"] if inference else []
    if calibrate is not None:
        options.append(f"--calibrate={calibrate}")
    return options


def _column_in(split: float | str | None) -> set[str]:
    """The column of a split such as "part=test"."""
    name, equals, _ = str(split).partition("=")
    return {name} if equals else set()


def _list(values: Sequence[float]) -> str:
    return ",".join(repr(float(value)) for value in values)


def _intervals(interval: float | Sequence[float] | None,
               method: str) -> list[str]:
    """Options for intervals."""
    if interval is None:
        return []
    levels = [interval] if isinstance(interval, (int, float)) else interval
    return [f"--interval={_list(levels)}", f"--method={method}"]


def _not_fitted() -> Exception:
    message = "expected a model that is fitted; call fit first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return Error(message)
    return NotFittedError(message)
