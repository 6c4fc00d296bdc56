(* The choice of an index (docs/privacy.md, section 2), as numbers: for every ranking of the codewords each index has one of
   two weights, which always sum to W; so an event is at most w_top / w_rest times as likely under one secret as under any
   other. Checked by `make prove`. The section's variables and hypotheses become premises of each theorem. *)
From mathcomp Require Import all_ssreflect.

Section Choice.

(* The terms, as clients check them; half is M/2. An index fits into the lower part of a key (2^16), below the cosine. *)
Variables half k nulls w_top w_rest key_part : nat.
Hypothesis top_fits : 0 < k <= half.
Hypothesis index_fits : half <= key_part.
Hypothesis nulls_fit : nulls = 0 \/ nulls = k.
Hypothesis weights_fit : 0 < w_rest <= w_top.

Definition M := half + half.
Definition W := k * w_top + (M + nulls - k) * w_rest.

(* All that the choice sees of a secret, under one value of the sign word: any numbers that floating point may make. The
   cosine includes the bit of the arm's own group. *)
Record ranking := Ranking { cosine : nat -> nat; flipped : nat -> bool; heard : bool }.

(* Steps 2 and 3: a codeword is near if fewer than k keys are above its own. *)
Definition key r i := cosine r i * key_part + (half - 1 - i).
Definition above r i := count (fun j => key r i < key r j) (iota 0 half).
Definition near r i := above r i < k.
Definition top r i :=
  if (0 < nulls) && ~~ heard r then M <= i
  else if i < half then near r i && ~~ flipped r i
  else if i < M then near r (i - half) && flipped r (i - half) else false.

(* Step 4, for the coin u < W. *)
Definition members r in_top := [seq i <- iota 0 (M + nulls) | top r i == in_top].
Definition choose r u :=
  if u < k * w_top then nth 0 (members r true) (u %/ w_top)
  else nth 0 (members r false) ((u - k * w_top) %/ w_rest).

(* Exactly k codewords are near. *)
Lemma count_lt (p q : pred nat) s x :
  subpred p q -> x \in s -> q x -> ~~ p x -> count p s < count q s.
Proof.
move=> sub; elim: s => //= y s IH; rewrite inE => /orP[/eqP <-|in_s] q_x not_p.
  by rewrite q_x (negbTE not_p) !add0n add1n ltnS sub_count.
have p_y : p y <= q y by case: (p y) (sub y) => // ->.
by rewrite -addnS leq_add // IH.
Qed.

Lemma key_inj r i j : i < half -> j < half -> key r i = key r j -> i = j.
Proof.
move=> lt_i lt_j /(congr1 (modn^~ key_part)); rewrite !modnMDl.
have small x : half - 1 - x < key_part.
  by apply: leq_trans index_fits; rewrite -subnDA ltn_subrL (leq_ltn_trans _ lt_i).
rewrite !modn_small // -!subnDA !add1n => same; apply: succn_inj.
by rewrite -(subKn lt_i) same subKn.
Qed.

Lemma count_near r : count (near r) (iota 0 half) = k.
Proof.
have above_lt i j : j < half -> key r i < key r j -> above r j < above r i.
  move=> lt_j lt_key; apply: (@count_lt _ _ _ j); rewrite ?mem_iota ?ltnn //= => x; exact: ltn_trans.
have distinct : uniq (map (above r) (iota 0 half)).
  rewrite map_inj_in_uniq ?iota_uniq // => i j; rewrite !mem_iota /= !add0n => lt_i lt_j same.
  case: (ltngtP (key r i) (key r j)) => [/above_lt lt|/above_lt lt|]; last exact: key_inj.
    by have := lt lt_j; rewrite same ltnn.
  by have := lt lt_i; rewrite same ltnn.
have below : {subset map (above r) (iota 0 half) <= iota 0 half}.
  move=> a /mapP[i]; rewrite !mem_iota /= add0n => lt_i ->.
  rewrite -[X in _ < X](size_iota 0) -(count_predT (iota 0 half)).
  by apply: (@count_lt _ _ _ i); rewrite ?mem_iota ?ltnn.
have [_ same] := uniq_min_size distinct below (eq_leq (esym (size_map (above r) (iota 0 half)))).
have /permP /(_ (fun a => a < k)) := uniq_perm distinct (iota_uniq 0 half) same.
rewrite count_map => ->.
have /andP[_ le_k] := top_fits.
rewrite -{1}(subnKC le_k) iotaD count_cat add0n.
have -> : count (ltn^~ k) (iota 0 k) = k.
  rewrite -[RHS](size_iota 0) -(count_predT (iota 0 k)); apply: eq_in_count => x.
  by rewrite mem_iota add0n.
rewrite (@eq_in_count _ _ pred0) ?count_pred0 ?addn0 // => x.
by rewrite mem_iota /= => /andP[+ _]; rewrite leqNgt => /negbTE.
Qed.

Lemma iota_from m n : iota m n = map (addn m) (iota 0 n).
Proof. by rewrite -iotaDl addn0. Qed.

Lemma count_top r : size (members r true) = k.
Proof.
rewrite size_filter (@eq_count _ _ (top r)) => [|i]; last by rewrite eqb_id.
rewrite iotaD add0n count_cat /top.
case said: (_ && _).
  rewrite (@eq_in_count _ _ pred0) ?count_pred0; last first.
    by move=> x; rewrite mem_iota add0n /= ltnNge => /negbTE.
  rewrite (@eq_in_count _ _ predT) ?count_predT ?size_iota; last first.
    by move=> x; rewrite mem_iota => /andP[-> _].
  by case: nulls_fit said => ->.
rewrite [X in _ + X](@eq_in_count _ _ pred0) ?count_pred0 ?addn0; last first.
  move=> x; rewrite mem_iota /= => /andP[le_x _].
  by rewrite !ltnNge le_x (leq_trans _ le_x) // leq_addr.
rewrite {2}/M iotaD add0n count_cat (iota_from half) count_map -[RHS](count_near r).
have -> : count (near r) (iota 0 half) =
    count (predI (near r) (predC (flipped r))) (iota 0 half) +
    count (predI (near r) (flipped r)) (iota 0 half).
  elim: (iota 0 half) => //= x s ->; rewrite addnACA; congr (_ + _).
  by case: (near r x) (flipped r x) => [] [].
congr (_ + _); apply: eq_in_count => x; rewrite mem_iota add0n /= => lt_x; first by rewrite lt_x.
by rewrite ltnNge leq_addr /= addKn ltn_add2l lt_x.
Qed.

Lemma count_rest r : size (members r false) = M + nulls - k.
Proof.
rewrite -(count_top r) !size_filter -[X in X - _](size_iota 0) -(count_predC (fun i => top r i == true)).
by rewrite addKn; apply: eq_count => i /=; case: (top r i).
Qed.

(* Dividing the coin by a weight gives each member that many coins. *)
Lemma count_coins w s i : 0 < w ->
  count (fun u => nth 0 s (u %/ w) == i) (iota 0 (size s * w)) = w * count_mem i s.
Proof.
move=> w_pos; elim: s => [|x s IH]; first by rewrite mul0n muln0.
rewrite mulSn iotaD add0n count_cat /= mulnDr -IH; congr (_ + _).
  rewrite (@eq_in_count _ _ (fun=> x == i)) => [|u]; last first.
    by rewrite mem_iota add0n /= => lt_u; rewrite divn_small.
  by case: (x == i); rewrite ?count_predT ?count_pred0 ?size_iota ?muln1 ?muln0.
rewrite (iota_from w) count_map; apply: eq_count => u /=.
by rewrite -{1}[w]mul1n divnMDl.
Qed.

Lemma count_members r in_top i : i < M + nulls -> count_mem i (members r in_top) = (top r i == in_top).
Proof.
move=> lt_i; rewrite count_uniq_mem ?filter_uniq ?iota_uniq //.
by rewrite mem_filter mem_iota add0n lt_i !andbT.
Qed.

(* Two weights: of the W coins u, w_top choose an index in TOP, and w_rest any other index. *)
Theorem two_weights r i : i < M + nulls ->
  count (fun u => choose r u == i) (iota 0 W) = if top r i then w_top else w_rest.
Proof.
move=> lt_i; have /andP[rest_pos le_w] := weights_fit; have top_pos := leq_trans rest_pos le_w.
rewrite /W iotaD add0n count_cat.
rewrite (@eq_in_count _ _ (fun u => nth 0 (members r true) (u %/ w_top) == i)); last first.
  by move=> u; rewrite mem_iota /choose add0n /= => ->.
rewrite -{1}(count_top r) count_coins // (iota_from (k * w_top)) count_map.
rewrite (@eq_count _ _ (fun u => nth 0 (members r false) (u %/ w_rest) == i)); last first.
  by move=> u; rewrite /= /choose ltnNge leq_addr /= addKn.
rewrite -(count_rest r) count_coins // !count_members //.
by case: (top r i); rewrite !(muln0, muln1, addn0).
Qed.

(* Constant sum: the weights of all indices sum to W, whatever the ranking. *)
Theorem constant_sum r : \sum_(0 <= i < M + nulls) (if top r i then w_top else w_rest) = W.
Proof.
rewrite /W -(count_rest r) -{1}(count_top r) !size_filter /index_iota subn0.
elim: (iota 0 (M + nulls)) => [|i s IH]; first by rewrite big_nil.
by rewrite big_cons IH /=; case: (top r i); rewrite !mulnDl ?mul1n ?mul0n ?add0n -?addnA // addnCA.
Qed.

Lemma choose_lt r u : u < W -> choose r u < M + nulls.
Proof.
have /andP[rest_pos le_w] := weights_fit; have top_pos := leq_trans rest_pos le_w.
have in_range in_top n : n < size (members r in_top) -> nth 0 (members r in_top) n < M + nulls.
  by move=> /(mem_nth 0); rewrite mem_filter mem_iota add0n => /and3P[].
rewrite /choose /W => lt_W; case: (ltnP u (k * w_top)) => [lt_u|le_u]; apply: in_range.
  by rewrite count_top ltn_divLR.
by rewrite count_rest ltn_divLR // ltn_subLR.
Qed.

(* Step 5, and all coins: `signs` values of the sign word, u < W and t < M. A secret is whether its score counts as 0, and a
   ranking for each sign word. Of all coins, those that answer with an index in E: *)
Variable signs : nat.
Record secret := Secret { zero : bool; ranked : nat -> ranking }.
Definition answer a s u t := if (nulls == 0) && zero a then t else choose (ranked a s) u.
Definition coins a (E : pred nat) :=
  \sum_(0 <= s < signs) \sum_(0 <= u < W) \sum_(0 <= t < M) (E (answer a s u t) : nat).

Lemma sum_count (p : pred nat) n : \sum_(0 <= x < n) (p x : nat) = count p (iota 0 n).
Proof.
by rewrite /index_iota subn0; elim: (iota 0 n) => [|x s IH]; rewrite ?big_nil // big_cons IH.
Qed.

Lemma coins_of_one a i : i < M + nulls ->
  w_rest * (signs * M) <= coins a (pred1 i) <= w_top * (signs * M).
Proof.
move=> lt_i; have /andP[_ le_w] := weights_fit.
suff: forall s, M * w_rest <= \sum_(0 <= u < W) \sum_(0 <= t < M) (answer a s u t == i : nat) <= M * w_top.
  move=> each; rewrite ![_ * (signs * M)]mulnC -!mulnA /coins.
  have constant w : signs * (M * w) = \sum_(0 <= s < signs) M * w by rewrite sum_nat_const_nat subn0.
  by rewrite !constant; apply/andP; split; apply: leq_sum => s _; case/andP: (each s).
move=> s; rewrite /answer; case said: ((nulls == 0) && zero a).
  have /andP[/eqP no_null _] := said; move: lt_i; rewrite no_null addn0 => lt_i.
  rewrite sum_count sum_nat_const_nat subn0 count_uniq_mem ?iota_uniq // mem_iota lt_i muln1 /W no_null addn0.
  have /andP[_ le_half] := top_fits.
  have le_k : k <= M by rewrite (leq_trans le_half) ?leq_addr.
  by rewrite -{1 4}(subnKC le_k) !mulnDl !leq_add ?leq_mul.
rewrite (eq_bigr (fun u => M * (choose (ranked a s) u == i))) => [|u _]; last first.
  by rewrite sum_nat_const_nat subn0.
rewrite -big_distrr /= sum_count two_weights // !leq_mul2l.
by case: (top _ i); rewrite ?leqnn ?le_w !orbT.
Qed.

Lemma coins_of_all a (E : pred nat) :
  coins a E = \sum_(0 <= i < M + nulls | E i) coins a (pred1 i).
Proof.
rewrite /coins [RHS]exchange_big; apply: eq_bigr => s _.
rewrite [RHS]exchange_big; apply: eq_big_nat => u /= lt_u.
rewrite [RHS]exchange_big; apply: eq_big_nat => t /= lt_t.
have lt_index : answer a s u t < M + nulls.
  by rewrite /answer; case: (_ && _); [rewrite (leq_trans lt_t) ?leq_addr|apply: choose_lt].
transitivity (E (answer a s u t) * count_mem (answer a s u t) (iota 0 (M + nulls))).
  by rewrite count_uniq_mem ?iota_uniq // mem_iota lt_index muln1.
rewrite /index_iota subn0; elim: (iota 0 _) => [|i l IH]; first by rewrite big_nil muln0.
rewrite big_cons -IH /= [i == _]eq_sym mulnDr; case: eqP => [->|_]; last by rewrite muln0 !add0n if_same.
by case: (E i); rewrite ?mul0n.
Qed.

(* The number of coins is the same for every secret. *)
Theorem all_coins a : coins a predT = signs * W * M.
Proof. by rewrite /coins /= !sum_nat_const_nat !subn0 muln1 mulnA. Qed.

(* Whatever the two secrets, the chances of an event differ by at most any factor p / q that bounds w_top / w_rest, such as
   e^epsilon rounded up. That it bounds them (calibrate.c) is a premise. *)
Theorem private a b E p q : q * w_top <= p * w_rest -> q * coins a E <= p * coins b E.
Proof.
move=> ratio; rewrite (coins_of_all a) (coins_of_all b) !big_distrr /= !(big_nat_cond _ _ _ _ E).
apply: leq_sum => i /andP[/andP[_ lt_i] _].
have /andP[_ le_a] := coins_of_one a _ lt_i; have /andP[le_b _] := coins_of_one b _ lt_i.
apply: leq_trans (leq_mul (leqnn p) le_b); apply: leq_trans (leq_mul (leqnn q) le_a) _.
by rewrite !mulnA !leq_mul2r ratio !orbT.
Qed.

End Choice.

Print Assumptions two_weights.
Print Assumptions constant_sum.
Print Assumptions all_coins.
Print Assumptions private.
